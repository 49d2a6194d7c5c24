import { builtIn, code, createDate, id, nullable, required, searched, writeDate } from './resource.ts';

export const company = builtIn({
  name: 'company',
  path: 'resources/company',
  plural: 'companies',
  meaning: 'the legal entities and branches of the account',
  exampleFilter: 'name*north',
  fields: [
    id,
    searched(required('name', 'Name', 'text', 'company name')),
    code(searched(nullable('company_code', 'Company code', 'text', 'company code'))),
    required('branch_user', 'Branch user', 'text', 'identifier of the branch user, as text'),
    createDate,
    writeDate,
  ],
  creatable: [],
});
