/** SQL that recreates the floor's partner table: Stockbook's fields, and an index wherever Stockbook has one for exact values. */

export function partnerTable(id: string, boolean: string, timestamp: string): string {
  return `DROP TABLE IF EXISTS partner;
    CREATE TABLE partner (id ${id}, name TEXT NOT NULL,
      ${['is_company', 'is_patient', 'is_customer', 'is_vendor', 'is_employee'].map((name) => `${name} ${boolean} NOT NULL DEFAULT FALSE`).join(', ')},
      active ${boolean} NOT NULL DEFAULT TRUE,
      ref TEXT, email TEXT, phone TEXT, vat TEXT, street TEXT, city TEXT, zip TEXT, country_code TEXT,
      create_date ${timestamp} NOT NULL, write_date ${timestamp} NOT NULL);
    ${['ref', 'email', 'vat'].map((name) => `CREATE INDEX partner_${name} ON partner (${name});`).join('\n')}`;
}
