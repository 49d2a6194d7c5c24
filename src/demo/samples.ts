/** Sample records, always the same, and varied enough that every kind of filter matches some. */

import type { Value } from '../catalog/value.ts';

export type Sample = Readonly<Record<string, Value | null>>;

export function* products(): Iterable<Sample> {
  const random = randomNumbers(1);
  for (let id = 1; id <= 5_000; id += 1) {
    const kind = pick(random, KINDS);
    const written = timestamp(random);
    yield {
      id,
      name: `${pick(random, STYLES)} ${pick(random, MATERIALS)} ${kind.name}`,
      default_code: random() < 0.03 ? null : `${kind.code}-${String(id).padStart(5, '0')}`,
      list_price: Math.round(kind.price * (0.5 + random() * 1.5) * 100) / 100,
      qty_available: random() < 0.1 ? 0 : Math.floor(random() * 400) - (random() < 0.02 ? 400 : 0),
      active: random() >= 0.05,
      categ_id: random() < 0.05 ? null : KINDS.indexOf(kind) + 1,
      product_tmpl_id: Math.ceil(id / 2),
      is_rsd_product: random() < 0.7 ? null : random() < 0.5,
      create_date: earlier(written, random),
      write_date: written,
    };
  }
}

export function* partners(): Iterable<Sample> {
  const random = randomNumbers(2);
  for (let id = 1; id <= 1_000; id += 1) {
    const place = pick(random, PLACES);
    const isCompany = random() < 0.4;
    const family = pick(random, FAMILY_NAMES);
    const name = isCompany ? `${family} ${pick(random, TRADES)}` : `${pick(random, GIVEN_NAMES)} ${family}`;
    const written = timestamp(random);
    yield {
      id,
      name,
      is_company: isCompany,
      is_patient: !isCompany && random() < 0.1,
      active: random() >= 0.04,
      is_customer: random() < 0.7,
      is_vendor: isCompany && random() < 0.5,
      is_employee: !isCompany && random() < 0.08,
      ref: random() < 0.5 ? null : `P${String(id).padStart(4, '0')}`,
      email: random() < 0.15 ? null : `${mailboxOf(name)}@example.com`,
      phone: random() < 0.3 ? null : `${place.phone} ${Math.floor(100_000 + random() * 900_000)}`,
      vat: isCompany ? `${place.country}${Math.floor(100_000_000 + random() * 900_000_000)}` : null,
      street: `${pick(random, STREETS)} ${1 + Math.floor(random() * 120)}`,
      city: place.city,
      zip: String(10_000 + Math.floor(random() * 89_999)),
      country_code: place.country,
      create_date: earlier(written, random),
      write_date: written,
    };
  }
}

export function* companies(): Iterable<Sample> {
  const names = [
    'Northwind Traders',
    'Northwind Logistics',
    'Northwind Österreich',
    'Northwind Suomi',
    'Northwind Ελλάς',
  ];
  for (const [index, name] of names.entries()) {
    yield {
      id: index + 1,
      name,
      company_code: index === 0 ? null : `NW0${index}`,
      branch_user: String(1_001 + index),
      create_date: '2024-01-02T08:00:00.000Z',
      write_date: '2024-01-02T08:00:00.000Z',
    };
  }
}

const KINDS = [
  { name: 'Chair', code: 'CHR', price: 120 },
  { name: 'Desk', code: 'DSK', price: 420 },
  { name: 'Lamp', code: 'LMP', price: 65 },
  { name: 'Shelf', code: 'SHF', price: 90 },
  { name: 'Cabinet', code: 'CAB', price: 310 },
  { name: 'Table', code: 'TAB', price: 260 },
  { name: 'Sofa', code: 'SOF', price: 890 },
  { name: 'Stool', code: 'STL', price: 45 },
  { name: 'Screen 24"', code: 'SCR', price: 180 },
  { name: 'Crème Brûlée Set', code: 'CBS', price: 22 },
] as const;

const STYLES = [
  'Classic',
  'Modern',
  'Folding',
  'Office',
  'Garden',
  'Large',
  'Small',
  'Conference',
  'Corner',
  'Executive',
];
const MATERIALS = [
  'Oak',
  'Steel',
  'Walnut',
  'Glass',
  'Leather',
  'Bamboo',
  'Pine',
  'Linen',
  '100% Wool',
  'Black & White',
];

const GIVEN_NAMES = [
  'Anna',
  'Björn',
  'Chloé',
  'Dávid',
  'Eva',
  'François',
  'Γιώργος',
  'Hana',
  'İpek',
  'Jürgen',
  'Kofi',
  'Łukasz',
  'Mei',
  'Noor',
];
const FAMILY_NAMES = [
  "O'Brien",
  'Müller',
  'García',
  'Nguyễn',
  'Kowalska',
  'Rossi',
  'Ødegård',
  'Papadopoulos',
  'Šimić',
  'van den Berg',
  'Yılmaz',
  '田中',
];
/** Names and letters that have no Latin form in Unicode. */
const LATIN: Readonly<Record<string, string>> = { Γιώργος: 'Giorgos', 田中: 'Tanaka', Ø: 'O', ø: 'o', Ł: 'L', ı: 'i' };

/** Letters of the words, joined with dots: `& Sons` is `sons`. */
function mailboxOf(name: string): string {
  const latin = Object.entries(LATIN).reduce((text, [from, to]) => text.replaceAll(from, to), name);
  const letters = latin
    .normalize('NFD')
    .replaceAll(/[^A-Za-z ]/g, '')
    .toLowerCase();
  return letters
    .split(' ')
    .filter((word) => word !== '')
    .join('.');
}

const TRADES = ['GmbH', 'Ltd', 'S.A.', 'Interiors', 'Logistics', 'Clinic', '& Sons', 'Wholesale'];
const STREETS = ['Main Street', 'Hauptstraße', 'Rue de l’Église', 'Calle Mayor', 'Storgata', 'Via Roma'];
const PLACES = [
  { city: 'Berlin', country: 'DE', phone: '+49 30' },
  { city: 'Vienna', country: 'AT', phone: '+43 1' },
  { city: 'Paris', country: 'FR', phone: '+33 1' },
  { city: 'Madrid', country: 'ES', phone: '+34 91' },
  { city: 'Oslo', country: 'NO', phone: '+47 22' },
  { city: 'Warsaw', country: 'PL', phone: '+48 22' },
  { city: 'Αθήνα', country: 'GR', phone: '+30 21' },
];

/** Mulberry32: small, and the same on every machine. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function pick<Item>(random: () => number, items: readonly [Item, ...Item[]] | readonly Item[]): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new RangeError('there is nothing to pick from');
  return item;
}

const FIRST_DAY = Date.UTC(2024, 0, 2);
const DAY = 86_400_000;

function timestamp(random: () => number): string {
  return new Date(FIRST_DAY + Math.floor(random() * 700 * DAY)).toISOString();
}

function earlier(written: string, random: () => number): string {
  return new Date(Math.max(FIRST_DAY, Date.parse(written) - Math.floor(random() * 300 * DAY))).toISOString();
}
