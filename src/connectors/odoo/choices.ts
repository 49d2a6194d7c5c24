/** Whether Odoo has the language and the companies that somebody has chosen. Its own errors name neither those nor the ones that there are. */

import { OdooError } from './odoo-error.ts';
import type { OdooReader } from './reader.ts';

/** The language of Odoo that is always there. */
const DEFAULT_LANGUAGE = 'en_US';

/** `reader` chooses nothing. */
export async function checkLanguage(reader: OdooReader, language: string): Promise<void> {
  if (language === DEFAULT_LANGUAGE) return;
  const installed: string[] = [];
  try {
    const active = [['active', '=', true]] as const;
    for await (const rows of reader.pages('res.lang', ['code'], active))
      installed.push(...rows.map((row) => String(row['code'])));
  } catch (error) {
    if (isDenied(error)) return;
    throw error;
  }
  if (installed.includes(language)) return;
  throw new OdooError(
    'wrong choice',
    `The language ${language} (--lang) is not installed in Odoo. Installed are ${installed.join(', ')}. Add it in Odoo under Settings, Languages, or choose one of these.`,
  );
}

/** `chosen` reads from these companies, and `reader` from all of the key's user. */
export async function checkCompanies(
  reader: OdooReader,
  chosen: OdooReader,
  companies: readonly number[],
): Promise<void> {
  const visible = new Set<number>();
  try {
    for (const { id } of await chosen.page('res.company', ['name'], [['id', 'in', companies]], 0)) visible.add(id);
  } catch (error) {
    if (!isDenied(error)) throw error;
  }
  if (companies.every((id) => visible.has(id))) return;
  const own = await companiesOfUser(reader);
  const wrong = companies.filter((id) => !own.some((company) => company.id === id));
  const which = wrong.length > 0 ? wrong : companies;
  throw new OdooError(
    'wrong choice',
    `The user of the key may not work for the ${which.length === 1 ? 'company' : 'companies'} ${which.join(', ')} (--company), or there is no such company.${own.length === 0 ? '' : ` The companies of the user are ${own.map(({ id, name }) => `${id} (${name})`).join(', ')}.`} Choose among them, or add the company to the user in Odoo under Settings, Users, Allowed Companies.`,
  );
}

/** Empty if that cannot be found out. Administrators see more companies than they may work for. */
async function companiesOfUser(reader: OdooReader): Promise<readonly { readonly id: number; readonly name: string }[]> {
  try {
    const user = await reader.user();
    const [row] = await reader.page('res.users', ['company_ids'], [['id', '=', user]], 0);
    const ids = row?.['company_ids'];
    if (!Array.isArray(ids)) return [];
    const companies = await reader.page('res.company', ['name'], [['id', 'in', ids]], 0);
    return companies.map(({ id, name }) => ({ id, name: String(name) }));
  } catch (error) {
    if (error instanceof OdooError && error.kind !== 'unavailable') return [];
    throw error;
  }
}

function isDenied(error: unknown): boolean {
  return error instanceof OdooError && error.kind === 'no rights';
}
