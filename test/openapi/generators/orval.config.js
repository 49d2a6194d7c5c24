/** The address is part of what orval generates. */
export default {
  stockbook: {
    input: 'openapi.json',
    output: { target: 'generated/orval.ts', client: 'fetch', baseUrl: process.env['STOCKBOOK_URL'] },
  },
};
