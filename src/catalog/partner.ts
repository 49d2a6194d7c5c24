import {
  category,
  createDate,
  grouped,
  id,
  indexed,
  nullable,
  type Resource,
  required,
  searched,
  secondary,
  withDefault,
  writeDate,
} from './resource.ts';

export const partner: Resource = {
  name: 'partner',
  path: 'resources/partner',
  plural: 'partners',
  meaning: 'customers, vendors and employees of the account',
  exampleFilter: 'city=Berlin & is_company=true',
  fields: [
    id,
    searched(required('name', 'Name', 'text', 'partner name')),
    withDefault('is_company', 'Is a company', 'boolean', false, 'true for a company, false for a person'),
    ...grouped('Roles', [secondary(withDefault('is_patient', 'Patient', 'boolean', false, 'true for a patient'))]),
    { ...withDefault('active', 'Active', 'boolean', true, 'false if the partner is no longer in use'), kind: 'active' },
    ...grouped('Roles', [
      withDefault('is_customer', 'Customer', 'boolean', false, 'true for a customer'),
      withDefault('is_vendor', 'Vendor', 'boolean', false, 'true for a vendor'),
      secondary(withDefault('is_employee', 'Employee', 'boolean', false, 'true for an employee')),
    ]),
    indexed(nullable('ref', 'Reference', 'text', 'reference in another system')),
    ...grouped('Contact', [
      { ...indexed(searched(nullable('email', 'E-mail', 'text', 'e-mail address'))), kind: 'email' },
      { ...nullable('phone', 'Phone', 'text', 'telephone number'), kind: 'phone' },
    ]),
    secondary(indexed(nullable('vat', 'Tax number', 'text', 'tax number'))),
    ...grouped('Address', [
      secondary(nullable('street', 'Street', 'text', 'street and house number')),
      category(nullable('city', 'City', 'text', 'city')),
      secondary(nullable('zip', 'Postal code', 'text', 'postal code')),
      { ...category(nullable('country_code', 'Country code', 'text', 'country, ISO 3166-1 alpha-2')), kind: 'country' },
    ]),
    secondary(createDate),
    writeDate,
  ],
  creatable: ['name'],
};
