const DESCRIPTION = new URL('/openapi.json', location.href).href;

function addressOf(input) {
  return input instanceof Request ? input.url : new URL(input, location.href).href;
}

// For those who are signed in to the console, it has the fields that operators have added.
async function description(input, init) {
  const headers = { 'Stockbook-Console': location.protocol.replace(':', '') };
  const response = await fetch(DESCRIPTION, { headers });
  return response.ok ? response : fetch(input, init);
}

// Starts Scalar on the reference page. Everything that would contact another host is turned off; the Content-Security-Policy
// of the page would block it as well.
Scalar.createApiReference('#reference', {
  url: '/openapi.json',
  // A browser would show a dialog, or send what somebody has entered there.
  customFetch: (input, init) =>
    addressOf(input) === DESCRIPTION ? description(input, init) : fetch(input, { ...init, credentials: 'omit' }),
  // The API is on the host that serves this page, so no proxy is needed.
  proxyUrl: '',
  baseServerURL: location.origin,
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  // As the rest of the page, it follows the system.
  hideDarkModeToggle: true,
  // A key is kept until the page is left.
  persistAuth: false,
  authentication: { createAnySecurityScheme: false },
  documentDownloadType: 'direct',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  theme: 'default',
});
