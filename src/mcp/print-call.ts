import { type JsonObject, visibleJson } from './json.ts';

/** A call that a model can make. */
export interface SuggestedCall {
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** `query {"resource":"product","page":2}` */
export function printCall({ tool, arguments: given }: SuggestedCall): string {
  return `${tool} ${visibleJson(given)}`;
}
