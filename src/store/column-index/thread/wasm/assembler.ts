/**
 * Functions in WebAssembly, assembled from a few of its instructions. They compute with 16 bytes at a time, which JavaScript
 * cannot, and call nothing.
 */

/** What of WebAssembly is used; TypeScript declares it for browsers only. */
declare const WebAssembly: {
  readonly Memory: new (pages: { initial: number; maximum: number }) => Memory;
  readonly Module: new (code: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (
    module: object,
    imports: Record<string, Record<string, Memory>>,
  ) => { readonly exports: Readonly<Record<string, WasmFunction>> };
};

/** Memory that WebAssembly can read. */
export interface Memory {
  readonly buffer: ArrayBuffer;
}

export type WasmFunction = (...numbers: readonly number[]) => number;

export const PAGE_BYTES = 65_536;

/** It cannot grow, because that would detach its buffer. */
export function createMemory(pages: number): Memory {
  return new WebAssembly.Memory({ initial: pages, maximum: pages });
}

/** Types of values. */
export const [I32, F64, V128] = [0x7f, 0x7c, 0x7b];

export interface FunctionSource {
  /** The types of its parameters, which are its first variables. */
  readonly parameters: readonly number[];
  /** The types of its other variables. */
  readonly locals: readonly number[];
  /** Leaves an i32 on the stack. */
  readonly body: readonly number[];
}

/** Returns what creates the function for a memory. The code is compiled once. */
export function compile(source: FunctionSource): (memory: Memory) => WasmFunction {
  const module = new WebAssembly.Module(Uint8Array.from(moduleBytes(source)));
  return (memory) => {
    const created = new WebAssembly.Instance(module, { '': { '': memory } }).exports[''];
    if (created === undefined) throw new Error('the module does not export its function');
    return created;
  };
}

export const get = (variable: number) => [0x20, variable];
export const set = (variable: number) => [0x21, variable];
export const tee = (variable: number) => [0x22, variable];

/** A constant of up to 28 bits. */
export const i32 = (value: number) => [0x41, ...leb128(value, 64)];
export const f64 = (value: number) => [0x44, ...new Uint8Array(Float64Array.of(value).buffer)];
export const ADD = 0x6a;
export const SUBTRACT = 0x6b;
export const BIT_AND = 0x71;
export const BIT_OR = 0x72;
export const SHIFT_LEFT = 0x74;
export const SHIFT_RIGHT = 0x76;
export const TRAILING_ZEROS = 0x68;
/** 64 if there is no other bit. */
export const TRAILING_ZEROS_OF_64 = [0xad, 0x7a, 0xa7];
/** Compares numbers without a sign. */
export const LESS = 0x49;
/** The first of two values if the number on the stack is not 0, else the second. */
export const SELECT = 0x1b;
export const LOAD = [0x28, 2, 0];
export const STORE = [0x36, 2, 0];
export const STORE_SHORT = [0x3b, 1, 0];
export const LOAD_BYTE = [0x2d, 0, 0];

/** With a double. */
export const double = {
  load: (offset: number) => [0x2b, 3, ...leb128(offset, 128)],
  STORE: [0x39, 3, 0],
  EQUAL: 0x61,
  LESS: 0x63,
  AT_LEAST: 0x66,
  SUBTRACT: 0xa1,
  MULTIPLY: 0xa2,
  /** To an i32 without a sign: 0 for what is less, and for NaN. */
  TRUNCATE: [0xfc, 0x03],
};

/** Reads 16 bytes. */
export const load = (offset: number) => [0xfd, 0x00, 0, offset];
/** Writes 16 bytes. */
export const store = (offset: number) => [0xfd, 0x0b, 0, offset];
/** Writes the first 8 of 16 bytes. */
export const STORE_HALF = [0xfd, 0x5b, 0, 0, 0];
export const VECTOR_AND = [0xfd, 0x4e];
export const ANY_BIT = [0xfd, 0x53];
/** For each bit of a mask, takes that bit of the first vector if it is 1, else of the second. */
export const BIT_SELECT = [0xfd, 0x52];

/** With 16 integers of a byte each. */
export const bytes = { SPLAT: [0xfd, 0x0f], EQUAL: [0xfd, 0x23], DIFFERENT: [0xfd, 0x24], BITMASK: [0xfd, 0x64] };

/** With four integers of 32 bits each. */
export const integers = {
  SPLAT: [0xfd, 0x11],
  /** Without a sign. */
  LESS: [0xfd, 0x3a],
  /** Of two vectors, the first and the third integer of the first one, twice. */
  EVERY_OTHER: [0xfd, 0x0d, ...[0, 1, 2, 3, 8, 9, 10, 11, 0, 1, 2, 3, 8, 9, 10, 11]],
  /** From two doubles, without a sign: the nearest ones towards 0 that there are, 0 for NaN. */
  FROM_DOUBLES: [0xfd, 0xfd, 0x01],
};

/** With two doubles. */
export const doubles = {
  SPLAT: [0xfd, 0x14],
  EQUAL: [0xfd, 0x47],
  DIFFERENT: [0xfd, 0x48],
  LESS: [0xfd, 0x49],
  AT_MOST: [0xfd, 0x4b],
  AT_LEAST: [0xfd, 0x4c],
  FLOOR: [0xfd, 0x75],
  BITMASK: [0xfd, 0xc4, 0x01],
  ALL: [0xfd, 0xc3, 0x01],
  ABSOLUTE: [0xfd, 0xec, 0x01],
  ADD: [0xfd, 0xf0, 0x01],
  SUBTRACT: [0xfd, 0xf1, 0x01],
  MULTIPLY: [0xfd, 0xf2, 0x01],
  DIVIDE: [0xfd, 0xf3, 0x01],
  /** The first of two, unless the second is less. */
  LEAST: [0xfd, 0xf6, 0x01],
  /** The first of two, unless the second is greater. */
  GREATEST: [0xfd, 0xf7, 0x01],
  /** From the first two of four integers without a sign. */
  FROM_INTEGERS: [0xfd, 0xff, 0x01],
};

export const block = (...body: readonly number[]) => [0x02, 0x40, ...body, END];
export const loop = (...body: readonly number[]) => [0x03, 0x40, ...body, END];
/** Runs the body if the number on the stack is not 0. */
export const when = (...body: readonly number[]) => [0x04, 0x40, ...body, END];
/** Goes to the start of the loop, or to the end of the block, that is so many levels outside, if the number on the stack is not 0. */
export const goIf = (levels: number) => [0x0d, levels];
const END = 0x0b;

function moduleBytes({ parameters, locals, body }: FunctionSource): readonly number[] {
  const variables = [locals.length, ...locals.flatMap((type) => [1, type])];
  return [
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, parameters.length, ...parameters, 1, I32]),
    // Imports a memory of one page or more.
    ...section(2, [1, 0, 0, 2, 0, 1]),
    ...section(3, [1, 0]),
    ...section(7, [1, 0, 0, 0]),
    ...section(10, [1, ...sized([...variables, ...body, END])]),
  ];
}

function section(id: number, content: readonly number[]): readonly number[] {
  return [id, ...sized(content)];
}

function sized(content: readonly number[]): readonly number[] {
  return [...leb128(content.length, 128), ...content];
}

/** A number in groups of seven bits. A signed one ends with a byte below 64, an unsigned one with a byte below 128. */
function leb128(value: number, end: 64 | 128): readonly number[] {
  return value < end ? [value] : [(value % 128) + 128, ...leb128(Math.floor(value / 128), end)];
}
