/** Recorded by `npm run openapi-examples`. A test repeats the requests and compares the responses. */

import type { Json } from './json.ts';

export const examples: Readonly<Record<string, { readonly request: string; readonly response: Json }>> = {
  'listProducts 200': {
    request: 'GET /api/v1/inventory/product?fields=id,name&filter=name*n&sort=-id&limit=2',
    response: {
      data: [
        {
          id: 5000,
          name: 'Classic Pine Chair',
        },
        {
          id: 4999,
          name: 'Corner Walnut Stool',
        },
      ],
      meta: {
        count: 2,
        total: 3519,
      },
      pagination: {
        previousPage: null,
        currentPage: 1,
        nextPage: 2,
        totalPages: 1760,
      },
    },
  },
  'listProducts 400': {
    request: 'GET /api/v1/inventory/product?filter=nane*chair',
    response: {
      type: '/problems/unknown_field',
      title: 'Unknown field',
      status: 400,
      detail: "product has no field 'nane'.",
      code: 'unknown_field',
      parameter: 'filter',
      position: 1,
      suggestion: 'Did you mean name? Try /api/v1/inventory/product?filter=name*chair',
      requestId: '7f0f6a0e-0d6b-4a0c-8a2e-3c2d1b0a9f8e',
    },
  },
  'listProductChanges 200': {
    request: 'GET /api/v1/inventory/product/changes?fields=id,name&limit=2',
    response: {
      data: [
        {
          id: 1,
          name: 'Large Black & White Sofa',
        },
        {
          id: 2,
          name: 'Modern Leather Cabinet',
        },
      ],
      meta: {
        count: 2,
        cursor: 'MXp4dGM0LjQuNC4yLjA',
        more: true,
      },
    },
  },
  'getProductDigest 200': {
    request: 'GET /api/v1/inventory/product/digest?fields=id,name',
    response: {
      data: {
        total: 5000,
        revision: 1,
        cursor: 'MXp4dGM0LjQuNC4yLjA',
        sha256: '3521d0db47b3a758b60fdfd4e7c97de5a4412ae9106227ae9f2911d20d14dc88',
      },
    },
  },
  'aggregateProducts 200': {
    request: 'GET /api/v1/inventory/product/aggregate?filter=id<=4&measures=count,max(id)&facets=name&limit=2',
    response: {
      data: {
        measures: {
          count: 4,
          'max(id)': 4,
        },
        facets: {
          name: {
            distinct: 4,
            groups: [
              {
                value: 'Large Black & White Sofa',
                filter: 'id<=4&name="Large Black & White Sofa"',
                measures: {
                  count: 1,
                  'max(id)': 1,
                },
              },
              {
                value: 'Modern Leather Cabinet',
                filter: 'id<=4&name=Modern Leather Cabinet',
                measures: {
                  count: 1,
                  'max(id)': 2,
                },
              },
            ],
            other: {
              values: 2,
              measures: {
                count: 2,
                'max(id)': 4,
              },
            },
          },
        },
      },
      meta: {
        total: 4,
      },
    },
  },
  'getProduct 200': {
    request: 'GET /api/v1/inventory/product/5?fields=id,name',
    response: {
      data: {
        id: 5,
        name: 'Executive Black & White Shelf',
      },
    },
  },
  'getProduct 404': {
    request: 'GET /api/v1/inventory/product/999999999',
    response: {
      type: '/problems/record_not_found',
      title: 'Record not found',
      status: 404,
      detail: "There is no product with the id '999999999'.",
      code: 'record_not_found',
      suggestion: 'GET /api/v1/inventory/product lists the products of this account.',
      requestId: '7f0f6a0e-0d6b-4a0c-8a2e-3c2d1b0a9f8e',
    },
  },
  'updateProduct 200': {
    request: 'PATCH /api/v1/inventory/product/5',
    response: {
      data: {
        id: 5,
        name: 'Azure Interior',
        default_code: 'SHF-00005',
        list_price: 169.05,
        qty_available: 373,
        active: false,
        categ_id: 4,
        product_tmpl_id: 3,
        is_rsd_product: null,
        create_date: '2024-07-29T16:22:48.160Z',
        write_date: '2026-11-17T08:00:00.000Z',
      },
    },
  },
  'updateProduct 400': {
    request: 'PATCH /api/v1/inventory/product/5',
    response: {
      type: '/problems/invalid_body',
      title: 'Invalid body',
      status: 400,
      detail: 'name must not be null.',
      code: 'invalid_body',
      parameter: 'name',
      suggestion:
        'Fix the member in `parameter`. A change has the fields to change, except `id`, `create_date` and `write_date`. A partner is created from `{"name": "…"}`: a string that is not blank, and no other member. A view has `name`, `resource`, `query` and, if it is the first page, `isFirstPage`. A removal has no body.',
      requestId: '7f0f6a0e-0d6b-4a0c-8a2e-3c2d1b0a9f8e',
    },
  },
  'updateProduct 412': {
    request: 'PATCH /api/v1/inventory/product/5',
    response: {
      type: '/problems/record_changed',
      title: 'Record changed',
      status: 412,
      detail: 'The product 5 does not have the entity tag in If-Match.',
      code: 'record_changed',
      suggestion:
        'The record has changed since it was read. Read it again and, if the change still applies, send it with the new `ETag`.',
      etag: '"1k7qk9z-3f2a9c-7"',
      requestId: '7f0f6a0e-0d6b-4a0c-8a2e-3c2d1b0a9f8e',
    },
  },
  'removeProduct 404': {
    request: 'DELETE /api/v1/inventory/product/999999999',
    response: {
      type: '/problems/record_not_found',
      title: 'Record not found',
      status: 404,
      detail: "There is no product with the id '999999999'.",
      code: 'record_not_found',
      suggestion: 'GET /api/v1/inventory/product lists the products of this account.',
      requestId: '7f0f6a0e-0d6b-4a0c-8a2e-3c2d1b0a9f8e',
    },
  },
  'importProducts 200': {
    request: 'POST /api/v1/inventory/product/import?position=2026-11-17T08:00:00Z&source=erp-products',
    response: {
      data: {
        created: 0,
        updated: 1,
        unchanged: 0,
        removed: 1,
        skipped: 0,
        errors: [],
        revision: 3,
        cursor: 'MXp4dGM0LjQuNC4yLjA',
      },
    },
  },
  'importProducts 422': {
    request: 'POST /api/v1/inventory/product/import?position=2026-11-17T08:00:00Z&source=erp-products',
    response: {
      type: '/problems/rows_rejected',
      title: 'Rows rejected',
      status: 422,
      detail: 'The rows have 1 error. Nothing was changed. The other rows have not been compared with the records yet.',
      code: 'rows_rejected',
      suggestion: 'Fix the rows in `errors`, which has the first 20 errors, or skip them with `on_error=skip`.',
      errors: [
        {
          line: 2,
          column: 'name',
          value: '',
          reason: 'must not be blank',
        },
      ],
      errorCount: 1,
      errorGroups: [
        {
          column: 'name',
          reason: 'must not be blank',
          rows: 1,
          lines: [2],
        },
      ],
      requestId: '7f0f6a0e-0d6b-4a0c-8a2e-3c2d1b0a9f8e',
    },
  },
  'listPartners 200': {
    request: 'GET /api/v1/resources/partner?fields=id,name&filter=name*n&sort=-id&limit=2',
    response: {
      data: [
        {
          id: 1000,
          name: "Björn O'Brien",
        },
        {
          id: 999,
          name: "O'Brien Clinic",
        },
      ],
      meta: {
        count: 2,
        total: 555,
      },
      pagination: {
        previousPage: null,
        currentPage: 1,
        nextPage: 2,
        totalPages: 278,
      },
    },
  },
  'listPartners 400': {
    request: 'GET /api/v1/resources/partner?filter=nane*chair',
    response: {
      type: '/problems/unknown_field',
      title: 'Unknown field',
      status: 400,
      detail: "partner has no field 'nane'.",
      code: 'unknown_field',
      parameter: 'filter',
      position: 1,
      suggestion: 'Did you mean name? Try /api/v1/resources/partner?filter=name*chair',
      requestId: '7f0f6a0e-0d6b-4a0c-8a2e-3c2d1b0a9f8e',
    },
  },
  'createPartner 201': {
    request: 'POST /api/v1/resources/partner',
    response: {
      data: {
        id: 1001,
      },
    },
  },
  'listPartnerChanges 200': {
    request: 'GET /api/v1/resources/partner/changes?fields=id,name&limit=2',
    response: {
      data: [
        {
          id: 1,
          name: 'Nguyễn Logistics',
        },
        {
          id: 2,
          name: "Mei O'Brien",
        },
      ],
      meta: {
        count: 2,
        cursor: 'MXp4dGM0LjQuNC4yLjA',
        more: true,
      },
    },
  },
  'getPartnerDigest 200': {
    request: 'GET /api/v1/resources/partner/digest?fields=id,name',
    response: {
      data: {
        total: 1001,
        revision: 2,
        cursor: 'MXp4dGM0LjQuNC4yLjA',
        sha256: '9f9524af9336f968fca26c7dcf7aeae2a0ea10ff7b517e7ebd07f553948548d5',
      },
    },
  },
  'aggregatePartners 200': {
    request: 'GET /api/v1/resources/partner/aggregate?filter=id<=4&measures=count,max(id)&facets=name&limit=2',
    response: {
      data: {
        measures: {
          count: 4,
          'max(id)': 4,
        },
        facets: {
          name: {
            distinct: 4,
            groups: [
              {
                value: "Mei O'Brien",
                filter: "id<=4&name=Mei O'Brien",
                measures: {
                  count: 1,
                  'max(id)': 2,
                },
              },
              {
                value: 'Nguyễn Logistics',
                filter: 'id<=4&name=Nguyễn Logistics',
                measures: {
                  count: 1,
                  'max(id)': 1,
                },
              },
            ],
            other: {
              values: 2,
              measures: {
                count: 2,
                'max(id)': 4,
              },
            },
          },
        },
      },
      meta: {
        total: 4,
      },
    },
  },
  'getPartner 200': {
    request: 'GET /api/v1/resources/partner/5?fields=id,name',
    response: {
      data: {
        id: 5,
        name: 'Mei van den Berg',
      },
    },
  },
  'getPartner 404': {
    request: 'GET /api/v1/resources/partner/999999999',
    response: {
      type: '/problems/record_not_found',
      title: 'Record not found',
      status: 404,
      detail: "There is no partner with the id '999999999'.",
      code: 'record_not_found',
      suggestion: 'GET /api/v1/resources/partner lists the partners of this account.',
      requestId: '7f0f6a0e-0d6b-4a0c-8a2e-3c2d1b0a9f8e',
    },
  },
  'updatePartner 200': {
    request: 'PATCH /api/v1/resources/partner/5',
    response: {
      data: {
        id: 5,
        name: 'Azure Interior',
        is_company: false,
        is_patient: false,
        active: true,
        is_customer: true,
        is_vendor: false,
        is_employee: false,
        ref: 'P0005',
        email: 'mei.van.den.berg@example.com',
        phone: null,
        vat: null,
        street: 'Hauptstraße 42',
        city: 'Paris',
        zip: '58352',
        country_code: 'FR',
        create_date: '2025-09-28T10:02:03.379Z',
        write_date: '2026-11-17T08:00:00.000Z',
      },
    },
  },
  'updatePartner 400': {
    request: 'PATCH /api/v1/resources/partner/5',
    response: {
      type: '/problems/invalid_body',
      title: 'Invalid body',
      status: 400,
      detail: 'name must not be null.',
      code: 'invalid_body',
      parameter: 'name',
      suggestion:
        'Fix the member in `parameter`. A change has the fields to change, except `id`, `create_date` and `write_date`. A partner is created from `{"name": "…"}`: a string that is not blank, and no other member. A view has `name`, `resource`, `query` and, if it is the first page, `isFirstPage`. A removal has no body.',
      requestId: '7f0f6a0e-0d6b-4a0c-8a2e-3c2d1b0a9f8e',
    },
  },
  'updatePartner 412': {
    request: 'PATCH /api/v1/resources/partner/5',
    response: {
      type: '/problems/record_changed',
      title: 'Record changed',
      status: 412,
      detail: 'The partner 5 does not have the entity tag in If-Match.',
      code: 'record_changed',
      suggestion:
        'The record has changed since it was read. Read it again and, if the change still applies, send it with the new `ETag`.',
      etag: '"1k7qk9z-3f2a9c-7"',
      requestId: '7f0f6a0e-0d6b-4a0c-8a2e-3c2d1b0a9f8e',
    },
  },
  'removePartner 404': {
    request: 'DELETE /api/v1/resources/partner/999999999',
    response: {
      type: '/problems/record_not_found',
      title: 'Record not found',
      status: 404,
      detail: "There is no partner with the id '999999999'.",
      code: 'record_not_found',
      suggestion: 'GET /api/v1/resources/partner lists the partners of this account.',
      requestId: '7f0f6a0e-0d6b-4a0c-8a2e-3c2d1b0a9f8e',
    },
  },
  'importPartners 200': {
    request: 'POST /api/v1/resources/partner/import?position=2026-11-17T08:00:00Z&source=erp-partners',
    response: {
      data: {
        created: 0,
        updated: 1,
        unchanged: 0,
        removed: 1,
        skipped: 0,
        errors: [],
        revision: 4,
        cursor: 'MXp4dGM0LjQuNC4yLjA',
      },
    },
  },
  'importPartners 422': {
    request: 'POST /api/v1/resources/partner/import?position=2026-11-17T08:00:00Z&source=erp-partners',
    response: {
      type: '/problems/rows_rejected',
      title: 'Rows rejected',
      status: 422,
      detail: 'The rows have 1 error. Nothing was changed. The other rows have not been compared with the records yet.',
      code: 'rows_rejected',
      suggestion: 'Fix the rows in `errors`, which has the first 20 errors, or skip them with `on_error=skip`.',
      errors: [
        {
          line: 2,
          column: 'name',
          value: '',
          reason: 'must not be blank',
        },
      ],
      errorCount: 1,
      errorGroups: [
        {
          column: 'name',
          reason: 'must not be blank',
          rows: 1,
          lines: [2],
        },
      ],
      requestId: '7f0f6a0e-0d6b-4a0c-8a2e-3c2d1b0a9f8e',
    },
  },
  'listCompanies 200': {
    request: 'GET /api/v1/resources/company?fields=id,name&filter=name*n&sort=-id&limit=2',
    response: {
      data: [
        {
          id: 5,
          name: 'Northwind Ελλάς',
        },
        {
          id: 4,
          name: 'Northwind Suomi',
        },
      ],
      meta: {
        count: 2,
        total: 5,
      },
      pagination: {
        previousPage: null,
        currentPage: 1,
        nextPage: 2,
        totalPages: 3,
      },
    },
  },
  'listCompanies 400': {
    request: 'GET /api/v1/resources/company?filter=nane*chair',
    response: {
      type: '/problems/unknown_field',
      title: 'Unknown field',
      status: 400,
      detail: "company has no field 'nane'.",
      code: 'unknown_field',
      parameter: 'filter',
      position: 1,
      suggestion: 'Did you mean name? Try /api/v1/resources/company?filter=name*chair',
      requestId: '7f0f6a0e-0d6b-4a0c-8a2e-3c2d1b0a9f8e',
    },
  },
  'listCompanyChanges 200': {
    request: 'GET /api/v1/resources/company/changes?fields=id,name&limit=2',
    response: {
      data: [
        {
          id: 1,
          name: 'Northwind Traders',
        },
        {
          id: 2,
          name: 'Northwind Logistics',
        },
      ],
      meta: {
        count: 2,
        cursor: 'MXp4dGM0LjQuNC4yLjA',
        more: true,
      },
    },
  },
  'getCompanyDigest 200': {
    request: 'GET /api/v1/resources/company/digest?fields=id,name',
    response: {
      data: {
        total: 5,
        revision: 1,
        cursor: 'MXp4dGM0LjQuNC4yLjA',
        sha256: 'f6dd4a32e286238b751d1b42e380f1e79e31f4b554106591902480b0d5a05816',
      },
    },
  },
  'aggregateCompanies 200': {
    request: 'GET /api/v1/resources/company/aggregate?filter=id<=4&measures=count,max(id)&facets=name&limit=2',
    response: {
      data: {
        measures: {
          count: 4,
          'max(id)': 4,
        },
        facets: {
          name: {
            distinct: 4,
            groups: [
              {
                value: 'Northwind Logistics',
                filter: 'id<=4&name=Northwind Logistics',
                measures: {
                  count: 1,
                  'max(id)': 2,
                },
              },
              {
                value: 'Northwind Suomi',
                filter: 'id<=4&name=Northwind Suomi',
                measures: {
                  count: 1,
                  'max(id)': 4,
                },
              },
            ],
            other: {
              values: 2,
              measures: {
                count: 2,
                'max(id)': 3,
              },
            },
          },
        },
      },
      meta: {
        total: 4,
      },
    },
  },
  'getCompany 200': {
    request: 'GET /api/v1/resources/company/5?fields=id,name',
    response: {
      data: {
        id: 5,
        name: 'Northwind Ελλάς',
      },
    },
  },
  'getCompany 404': {
    request: 'GET /api/v1/resources/company/999999999',
    response: {
      type: '/problems/record_not_found',
      title: 'Record not found',
      status: 404,
      detail: "There is no company with the id '999999999'.",
      code: 'record_not_found',
      suggestion: 'GET /api/v1/resources/company lists the companies of this account.',
      requestId: '7f0f6a0e-0d6b-4a0c-8a2e-3c2d1b0a9f8e',
    },
  },
  'updateCompany 200': {
    request: 'PATCH /api/v1/resources/company/5',
    response: {
      data: {
        id: 5,
        name: 'Azure Interior',
        company_code: 'NW04',
        branch_user: '1005',
        create_date: '2024-01-02T08:00:00.000Z',
        write_date: '2026-11-17T08:00:00.000Z',
      },
    },
  },
  'updateCompany 400': {
    request: 'PATCH /api/v1/resources/company/5',
    response: {
      type: '/problems/invalid_body',
      title: 'Invalid body',
      status: 400,
      detail: 'name must not be null.',
      code: 'invalid_body',
      parameter: 'name',
      suggestion:
        'Fix the member in `parameter`. A change has the fields to change, except `id`, `create_date` and `write_date`. A partner is created from `{"name": "…"}`: a string that is not blank, and no other member. A view has `name`, `resource`, `query` and, if it is the first page, `isFirstPage`. A removal has no body.',
      requestId: '7f0f6a0e-0d6b-4a0c-8a2e-3c2d1b0a9f8e',
    },
  },
  'updateCompany 412': {
    request: 'PATCH /api/v1/resources/company/5',
    response: {
      type: '/problems/record_changed',
      title: 'Record changed',
      status: 412,
      detail: 'The company 5 does not have the entity tag in If-Match.',
      code: 'record_changed',
      suggestion:
        'The record has changed since it was read. Read it again and, if the change still applies, send it with the new `ETag`.',
      etag: '"1k7qk9z-3f2a9c-7"',
      requestId: '7f0f6a0e-0d6b-4a0c-8a2e-3c2d1b0a9f8e',
    },
  },
  'removeCompany 404': {
    request: 'DELETE /api/v1/resources/company/999999999',
    response: {
      type: '/problems/record_not_found',
      title: 'Record not found',
      status: 404,
      detail: "There is no company with the id '999999999'.",
      code: 'record_not_found',
      suggestion: 'GET /api/v1/resources/company lists the companies of this account.',
      requestId: '7f0f6a0e-0d6b-4a0c-8a2e-3c2d1b0a9f8e',
    },
  },
  'importCompanies 200': {
    request: 'POST /api/v1/resources/company/import?position=2026-11-17T08:00:00Z&source=erp-companies',
    response: {
      data: {
        created: 0,
        updated: 1,
        unchanged: 0,
        removed: 1,
        skipped: 0,
        errors: [],
        revision: 3,
        cursor: 'MXp4dGM0LjQuNC4yLjA',
      },
    },
  },
  'importCompanies 422': {
    request: 'POST /api/v1/resources/company/import?position=2026-11-17T08:00:00Z&source=erp-companies',
    response: {
      type: '/problems/rows_rejected',
      title: 'Rows rejected',
      status: 422,
      detail: 'The rows have 1 error. Nothing was changed. The other rows have not been compared with the records yet.',
      code: 'rows_rejected',
      suggestion: 'Fix the rows in `errors`, which has the first 20 errors, or skip them with `on_error=skip`.',
      errors: [
        {
          line: 2,
          column: 'name',
          value: '',
          reason: 'must not be blank',
        },
      ],
      errorCount: 1,
      errorGroups: [
        {
          column: 'name',
          reason: 'must not be blank',
          rows: 1,
          lines: [2],
        },
      ],
      requestId: '7f0f6a0e-0d6b-4a0c-8a2e-3c2d1b0a9f8e',
    },
  },
  'getMe 200': {
    request: 'GET /api/v1/me',
    response: {
      data: {
        account: {
          name: 'demo',
          currency: null,
        },
        key: {
          id: '4fJ0aPq2LwZ8',
          name: 'ERP connector',
          scopes: ['read', 'write', 'edit'],
          createdAt: '2026-12-30T12:00:00.000Z',
          expiresAt: '2026-12-31T12:00:00.000Z',
        },
        limits: {
          requestsPerSecond: {
            key: null,
            account: null,
          },
          recordsPerPage: {
            default: 10,
            maximum: 1000,
          },
          records: null,
          bytes: 10737418240,
        },
        storage: {
          records: 6003,
          bytes: 634079,
        },
      },
    },
  },
  'listImports 200': {
    request: 'GET /api/v1/imports',
    response: {
      data: [
        {
          id: '0mi3w0x2s5f1c09d2b7a4e638',
          resource: 'company',
          state: 'done',
          rows: 2,
          actor: 'key 4fJ0aPq2LwZ8',
          file: null,
          source: 'erp-companies',
          startedAt: '2026-11-17T08:00:00.000Z',
          endedAt: '2026-11-17T08:00:01.000Z',
          result: {
            created: 0,
            updated: 1,
            unchanged: 0,
            removed: 1,
            skipped: 0,
            errors: [],
            revision: 3,
            cursor: 'MXp4dGM0LjQuNC4yLjA',
          },
        },
        {
          id: '0mi3w0x2s5f1c09d2b7a4e638',
          resource: 'partner',
          state: 'done',
          rows: 2,
          actor: 'key 4fJ0aPq2LwZ8',
          file: null,
          source: 'erp-partners',
          startedAt: '2026-11-17T08:00:00.000Z',
          endedAt: '2026-11-17T08:00:01.000Z',
          result: {
            created: 0,
            updated: 1,
            unchanged: 0,
            removed: 1,
            skipped: 0,
            errors: [],
            revision: 4,
            cursor: 'MXp4dGM0LjQuNC4yLjA',
          },
        },
        {
          id: '0mi3w0x2s5f1c09d2b7a4e638',
          resource: 'product',
          state: 'done',
          rows: 2,
          actor: 'key 4fJ0aPq2LwZ8',
          file: null,
          source: 'erp-products',
          startedAt: '2026-11-17T08:00:00.000Z',
          endedAt: '2026-11-17T08:00:01.000Z',
          result: {
            created: 0,
            updated: 1,
            unchanged: 0,
            removed: 1,
            skipped: 0,
            errors: [],
            revision: 3,
            cursor: 'MXp4dGM0LjQuNC4yLjA',
          },
        },
        {
          id: '0mi3w0x2s5f1c09d2b7a4e638',
          resource: 'company',
          state: 'done',
          rows: 5,
          actor: 'key 4fJ0aPq2LwZ8',
          file: null,
          source: null,
          startedAt: '2026-11-17T08:00:00.000Z',
          endedAt: '2026-11-17T08:00:01.000Z',
          result: {
            created: 5,
            updated: 0,
            unchanged: 0,
            removed: 0,
            skipped: 0,
            errors: [],
            revision: 1,
            cursor: 'MXp4dGM0LjQuNC4yLjA',
          },
        },
        {
          id: '0mi3w0x2s5f1c09d2b7a4e638',
          resource: 'partner',
          state: 'done',
          rows: 1000,
          actor: 'key 4fJ0aPq2LwZ8',
          file: null,
          source: null,
          startedAt: '2026-11-17T08:00:00.000Z',
          endedAt: '2026-11-17T08:00:01.000Z',
          result: {
            created: 1000,
            updated: 0,
            unchanged: 0,
            removed: 0,
            skipped: 0,
            errors: [],
            revision: 1,
            cursor: 'MXp4dGM0LjQuNC4yLjA',
          },
        },
        {
          id: '0mi3w0x2s5f1c09d2b7a4e638',
          resource: 'product',
          state: 'done',
          rows: 5000,
          actor: 'key 4fJ0aPq2LwZ8',
          file: null,
          source: null,
          startedAt: '2026-11-17T08:00:00.000Z',
          endedAt: '2026-11-17T08:00:01.000Z',
          result: {
            created: 5000,
            updated: 0,
            unchanged: 0,
            removed: 0,
            skipped: 0,
            errors: [],
            revision: 1,
            cursor: 'MXp4dGM0LjQuNC4yLjA',
          },
        },
      ],
      meta: {
        count: 6,
      },
    },
  },
  'listSources 200': {
    request: 'GET /api/v1/sources',
    response: {
      data: [
        {
          name: 'erp-companies',
          resource: 'company',
          position: '2026-11-17T08:00:00Z',
          savedAt: '2026-11-17T08:00:01.000Z',
        },
        {
          name: 'erp-partners',
          resource: 'partner',
          position: '2026-11-17T08:00:00Z',
          savedAt: '2026-11-17T08:00:01.000Z',
        },
        {
          name: 'erp-products',
          resource: 'product',
          position: '2026-11-17T08:00:00Z',
          savedAt: '2026-11-17T08:00:01.000Z',
        },
      ],
      meta: {
        count: 3,
      },
    },
  },
  'getSource 200': {
    request: 'GET /api/v1/sources/erp-products',
    response: {
      data: {
        name: 'erp-products',
        resource: 'product',
        position: '2026-11-17T08:00:00Z',
        savedAt: '2026-11-17T08:00:01.000Z',
      },
    },
  },
  'saveView 201': {
    request: 'PUT /api/v1/views/low-stock',
    response: {
      data: {
        id: 'low-stock',
        name: 'Low stock',
        resource: 'product',
        query: 'filter=qty_available<5&sort=qty_available',
        isFirstPage: false,
        savedAt: '2026-11-17T08:00:01.000Z',
        etag: '"1k7qk9z-3f2a9c-7"',
      },
    },
  },
  'saveView 200': {
    request: 'PUT /api/v1/views/low-stock',
    response: {
      data: {
        id: 'low-stock',
        name: 'Low stock',
        resource: 'product',
        query: 'filter=qty_available<5&sort=qty_available',
        isFirstPage: false,
        savedAt: '2026-11-17T08:00:01.000Z',
        etag: '"1k7qk9z-3f2a9c-7"',
      },
    },
  },
  'saveView 400': {
    request: 'PUT /api/v1/views/low-stock',
    response: {
      type: '/problems/invalid_body',
      title: 'Invalid body',
      status: 400,
      detail: 'name must not be blank.',
      code: 'invalid_body',
      parameter: 'name',
      suggestion:
        'Send an object such as {"name":"Low stock","resource":"product","query":"filter=qty_available<5&sort=qty_available"}.',
      requestId: '7f0f6a0e-0d6b-4a0c-8a2e-3c2d1b0a9f8e',
    },
  },
  'saveView 409': {
    request: 'PUT /api/v1/views/low-stock-too',
    response: {
      type: '/problems/view_name_taken',
      title: 'Name of a view taken',
      status: 409,
      detail: "Another view of product is called 'Low stock': low-stock.",
      code: 'view_name_taken',
      parameter: 'name',
      suggestion: 'Choose another name, or change that view with PUT /api/v1/views/low-stock.',
      requestId: '7f0f6a0e-0d6b-4a0c-8a2e-3c2d1b0a9f8e',
    },
  },
  'saveView 412': {
    request: 'PUT /api/v1/views/low-stock',
    response: {
      type: '/problems/view_changed',
      title: 'View changed',
      status: 412,
      detail: "The view 'low-stock' does not have the entity tag in If-Match.",
      code: 'view_changed',
      suggestion:
        'The view has changed since it was read. Read it again and, if the change still applies, send it with the new `ETag`.',
      etag: '"1k7qk9z-3f2a9c-7"',
      requestId: '7f0f6a0e-0d6b-4a0c-8a2e-3c2d1b0a9f8e',
    },
  },
  'getView 200': {
    request: 'GET /api/v1/views/low-stock',
    response: {
      data: {
        id: 'low-stock',
        name: 'Low stock',
        resource: 'product',
        query: 'filter=qty_available<5&sort=qty_available',
        isFirstPage: false,
        savedAt: '2026-11-17T08:00:01.000Z',
        etag: '"1k7qk9z-3f2a9c-7"',
      },
    },
  },
  'removeView 404': {
    request: 'DELETE /api/v1/views/no-such-view',
    response: {
      type: '/problems/view_not_found',
      title: 'View not found',
      status: 404,
      detail: "There is no view with the id 'no-such-view'.",
      code: 'view_not_found',
      suggestion: 'It may have been removed. `GET /api/v1/views` lists the saved views of the account.',
      requestId: '7f0f6a0e-0d6b-4a0c-8a2e-3c2d1b0a9f8e',
    },
  },
  'listViews 200': {
    request: 'GET /api/v1/views',
    response: {
      data: [
        {
          id: 'low-stock',
          name: 'Low stock',
          resource: 'product',
          query: 'filter=qty_available<5&sort=qty_available',
          isFirstPage: false,
          savedAt: '2026-11-17T08:00:01.000Z',
          etag: '"1k7qk9z-3f2a9c-7"',
        },
      ],
      meta: {
        count: 1,
      },
    },
  },
};
