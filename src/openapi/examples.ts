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
  'getMe 200': {
    request: 'GET /api/v1/me',
    response: {
      data: {
        account: {
          name: 'demo',
        },
        key: {
          id: '4fJ0aPq2LwZ8',
          name: 'demo',
          scopes: ['read', 'write'],
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
          records: 6006,
          bytes: 634422,
        },
      },
    },
  },
};
