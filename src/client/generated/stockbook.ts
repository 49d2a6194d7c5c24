/** An account and its resources. Generated from the catalog: `npm run client`. */

import { Connection, type StockbookOptions } from '../connection.ts';
import { Imports, Sources } from '../imports.ts';
import { type ListedField, readFields } from '../listed-field.ts';
import { type Me, readMe } from '../me.ts';
import type { RequestOptions } from '../options.ts';
import { CreatableResource, Resource } from '../resource.ts';
import { Views } from '../views.ts';
import type { Company, CompanyTypes, NewPartner, Partner, PartnerTypes, Product, ProductTypes } from './records.ts';

export class Stockbook {
  /** The inventory of the account. */
  readonly products: Resource<Product, ProductTypes>;
  /** Customers, vendors and employees of the account. */
  readonly partners: CreatableResource<Partner, PartnerTypes, NewPartner>;
  /** The legal entities and branches of the account. */
  readonly companies: Resource<Company, CompanyTypes>;
  /** What was imported in the last 30 days, and what is being imported. */
  readonly imports: Imports;
  /** How far sources have been imported. */
  readonly sources: Sources;
  /** What the console has saved under a name. */
  readonly views: Views;
  readonly #connection: Connection;

  constructor(options: StockbookOptions) {
    const connection = new Connection(options);
    this.#connection = connection;
    this.products = new Resource(connection, 'inventory/product', [
      'id',
      'name',
      'default_code',
      'list_price',
      'qty_available',
      'active',
      'categ_id',
      'product_tmpl_id',
      'is_rsd_product',
      'create_date',
      'write_date',
    ]);
    this.partners = new CreatableResource(connection, 'resources/partner', [
      'id',
      'name',
      'is_company',
      'is_patient',
      'active',
      'is_customer',
      'is_vendor',
      'is_employee',
      'ref',
      'email',
      'phone',
      'vat',
      'street',
      'city',
      'zip',
      'country_code',
      'create_date',
      'write_date',
    ]);
    this.companies = new Resource(connection, 'resources/company', [
      'id',
      'name',
      'company_code',
      'branch_user',
      'create_date',
      'write_date',
    ]);
    this.imports = new Imports(connection);
    this.sources = new Sources(connection);
    this.views = new Views(connection);
  }

  /** What the key is and may do. */
  me(options: RequestOptions = {}): Promise<Me> {
    return readMe(this.#connection, options);
  }

  /** The fields of all resources, including those that operators have added. */
  fields(options: RequestOptions = {}): Promise<readonly ListedField[]> {
    return readFields(this.#connection, options);
  }
}
