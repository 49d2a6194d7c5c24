/** Records, and the value types of their fields. Generated from the catalog: `npm run client`. */

/** What JSON has for a value type, and which operators it supports. */
export interface ValueTypes {
  readonly integer: { readonly json: number; readonly operators: 'order' };
  readonly number: { readonly json: number; readonly operators: 'order' };
  readonly text: { readonly json: string; readonly operators: 'text' };
  readonly boolean: { readonly json: boolean; readonly operators: 'equality' };
  readonly timestamp: { readonly json: string; readonly operators: 'order' };
}

/** One of the inventory of the account. */
export interface Product {
  /** record identifier, 1 or more */
  readonly id: number;
  /** product name */
  readonly name: string;
  /** product code */
  readonly default_code: string | null;
  /** sales price */
  readonly list_price: number;
  /** quantity on hand */
  readonly qty_available: number;
  /** false if the product is no longer in use */
  readonly active: boolean;
  /** category identifier */
  readonly categ_id: number | null;
  /** template identifier */
  readonly product_tmpl_id: number | null;
  /** RSD flag; null if never set */
  readonly is_rsd_product: boolean | null;
  /** when the record was created */
  readonly create_date: string;
  /** when the record was last changed */
  readonly write_date: string;
}

export interface ProductTypes {
  readonly id: 'integer';
  readonly name: 'text';
  readonly default_code: 'text';
  readonly list_price: 'number';
  readonly qty_available: 'number';
  readonly active: 'boolean';
  readonly categ_id: 'integer';
  readonly product_tmpl_id: 'integer';
  readonly is_rsd_product: 'boolean';
  readonly create_date: 'timestamp';
  readonly write_date: 'timestamp';
}

/** One of customers, vendors and employees of the account. */
export interface Partner {
  /** record identifier, 1 or more */
  readonly id: number;
  /** partner name */
  readonly name: string;
  /** true for a company, false for a person */
  readonly is_company: boolean;
  /** true for a patient */
  readonly is_patient: boolean;
  /** false if the partner is no longer in use */
  readonly active: boolean;
  /** true for a customer */
  readonly is_customer: boolean;
  /** true for a vendor */
  readonly is_vendor: boolean;
  /** true for an employee */
  readonly is_employee: boolean;
  /** reference in another system */
  readonly ref: string | null;
  /** e-mail address */
  readonly email: string | null;
  /** telephone number */
  readonly phone: string | null;
  /** tax number */
  readonly vat: string | null;
  /** street and house number */
  readonly street: string | null;
  /** city */
  readonly city: string | null;
  /** postal code */
  readonly zip: string | null;
  /** country, ISO 3166-1 alpha-2 */
  readonly country_code: string | null;
  /** when the record was created */
  readonly create_date: string;
  /** when the record was last changed */
  readonly write_date: string;
}

export interface PartnerTypes {
  readonly id: 'integer';
  readonly name: 'text';
  readonly is_company: 'boolean';
  readonly is_patient: 'boolean';
  readonly active: 'boolean';
  readonly is_customer: 'boolean';
  readonly is_vendor: 'boolean';
  readonly is_employee: 'boolean';
  readonly ref: 'text';
  readonly email: 'text';
  readonly phone: 'text';
  readonly vat: 'text';
  readonly street: 'text';
  readonly city: 'text';
  readonly zip: 'text';
  readonly country_code: 'text';
  readonly create_date: 'timestamp';
  readonly write_date: 'timestamp';
}

/** What a new partner is created from. */
export interface NewPartner {
  /** partner name */
  readonly name: string;
}

/** One of the legal entities and branches of the account. */
export interface Company {
  /** record identifier, 1 or more */
  readonly id: number;
  /** company name */
  readonly name: string;
  /** company code */
  readonly company_code: string | null;
  /** identifier of the branch user, as text */
  readonly branch_user: string;
  /** when the record was created */
  readonly create_date: string;
  /** when the record was last changed */
  readonly write_date: string;
}

export interface CompanyTypes {
  readonly id: 'integer';
  readonly name: 'text';
  readonly company_code: 'text';
  readonly branch_user: 'text';
  readonly create_date: 'timestamp';
  readonly write_date: 'timestamp';
}
