import { JSONPathError, type JSONPathQuery, jsonpath } from 'json-p3';
import { KongError } from '../kong-error.ts';
import { isStateObject, type StateObject, type StateValue } from './state-document.ts';

/** Finds parts of a declarative file by JSONPath (RFC 9535). */
export class Selector {
  readonly #queries: readonly JSONPathQuery[];

  /** Throws where an expression is none; as decK has it, the leading `$.` may be left out. */
  constructor(expressions: readonly string[]) {
    this.#queries = expressions.map((expression) => {
      try {
        return jsonpath.compile(expression.startsWith('$') ? expression : `$.${expression}`);
      } catch (error) {
        if (!(error instanceof JSONPathError)) throw error;
        throw new KongError(
          'WG_KONG_FILE',
          `selector '${expression}' is not a valid JSONpath expression; ${error.message}`,
          { cause: error },
        );
      }
    });
  }

  /** What the expressions select, each value once, in the order of the expressions. */
  find(document: StateObject): StateValue[] {
    const found = this.#queries.flatMap((query) => query.query(document).values() as StateValue[]);
    return [...new Set(found)];
  }

  /** The same with the steps that lead to each. */
  locate(document: StateObject): { value: StateValue; path: readonly (string | number)[] }[] {
    return this.#queries.flatMap((query) =>
      query.query(document).nodes.map((node) => ({
        value: node.value as StateValue,
        path: node.location,
      })),
    );
  }

  objects(document: StateObject): StateObject[] {
    return this.find(document).filter(isStateObject);
  }
}
