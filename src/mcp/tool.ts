/** What a tool is: a description for models, and a request to our own API. */

import type { Resource, ResourceOutline } from '../catalog/resource.ts';
import type { Action } from '../catalog/scopes.ts';
import type { Problem } from '../problem/problem.ts';
import type { ProblemCode } from '../problem/registry.ts';
import type { Reply } from '../reply/reply.ts';
import type { RequestHeaders } from '../request/request.ts';
import type { JsonObject } from './json.ts';
import type { SuggestedCall } from './print-call.ts';

export type Tool = ApiTool | LocalTool;

interface Definition {
  readonly name: string;
  readonly description: string;
  readonly action: Action;
  /** What the action can be for. Keys that permit it for none of them do not see the tool. */
  readonly resources: readonly ResourceOutline[];
  readonly arguments: Readonly<Record<string, Argument>>;
  readonly required: readonly string[];
}

export interface Argument {
  readonly type: 'string' | 'integer' | 'number' | 'boolean';
  readonly description?: string;
  readonly enum?: readonly string[];
}

/** Answered by the API. */
export interface ApiTool extends Definition {
  readonly kind: 'api';
  readonly toRequest: (given: Arguments) => ApiRequest | Problem;
  readonly toResult: (reply: Success, given: Arguments) => ToolResult;
  /** What to call instead after some problems, whose suggestions are for those who send requests. */
  readonly instead?: Partial<Record<ProblemCode, (given: Arguments) => SuggestedCall>>;
  /** How to get a smaller result than one of this many bytes. */
  readonly narrow: (given: Arguments, size: ResultSize) => Narrower;
}

/** Answered from the catalog. */
export interface LocalTool extends Definition {
  readonly kind: 'local';
  /** `resources` are those that were asked for and that the key permits. */
  readonly toResult: (resources: readonly Resource[]) => ToolResult;
}

/** A successful response of the API. */
export interface Success {
  readonly headers: Reply['headers'];
  readonly body: string;
}

/** The arguments of a call. Those that are null count as left out. */
export interface Arguments {
  readonly json: JsonObject;
  /** As query parameters have them. */
  readonly text: Readonly<Record<string, string>>;
}

export interface ApiRequest {
  readonly method: 'GET' | 'QUERY' | 'POST';
  readonly target: string;
  readonly headers?: RequestHeaders;
  readonly body?: string;
}

/** How large a response of the API is. */
export interface ResultSize {
  readonly bytes: number;
  /** How many records it has, if it is a list. */
  readonly count: number | undefined;
}

export interface Narrower {
  readonly suggestion: string;
  /** Arguments that make the result small enough. */
  readonly fixed?: Readonly<Record<string, string>>;
}

export interface ToolResult {
  /** In our own words: what was found, and what to call for more. Nothing in it comes from a record. */
  readonly summary: readonly string[];
  /** What comes from records, one value per line. */
  readonly data?: readonly unknown[];
  /** The same for programs. */
  readonly structured: JsonObject;
}
