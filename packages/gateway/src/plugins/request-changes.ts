import { oncePer } from '@waygate/text';
import { Template } from '../template/template.ts';

/** A part of a request that is changed: its headers, its query or its body. */
type ChangedPart = 'headers' | 'querystring' | 'body';

type Names = Readonly<Record<ChangedPart, readonly string[]>>;

/** What request-transformer is configured with. */
export interface RequestTransformerConfig {
  readonly http_method: string | null;
  readonly remove: Names;
  readonly rename: Names;
  readonly replace: Names & { readonly uri?: string | null };
  readonly add: Names;
  readonly append: Names;
}

/** A name, and the template of what it is set to. */
export type Pair = readonly [name: string, value: Template];

/** The changes to one part, in the order in which they are made. */
export interface PartChanges {
  readonly remove: readonly string[];
  readonly rename: readonly Pair[];
  readonly replace: readonly Pair[];
  readonly add: readonly Pair[];
  readonly append: readonly Pair[];
}

/** A configuration with its templates compiled. */
interface RequestChanges {
  readonly uri: Template | undefined;
  /** Undefined where nothing is changed. */
  readonly headers: PartChanges | undefined;
  readonly querystring: PartChanges | undefined;
  readonly body: PartChanges | undefined;
}

/** Compiles a configuration, once. */
export const requestChanges = oncePer((config: RequestTransformerConfig): RequestChanges => {
  const { uri } = config.replace;
  return {
    uri: typeof uri === 'string' && uri !== '' ? Template.compile(uri) : undefined,
    headers: partChanges(config, 'headers'),
    querystring: partChanges(config, 'querystring'),
    body: partChanges(config, 'body'),
  };
});

function partChanges(config: RequestTransformerConfig, part: ChangedPart): PartChanges | undefined {
  const pairs = (verb: 'rename' | 'replace' | 'add' | 'append'): Pair[] =>
    config[verb][part].map((text) => {
      const [name, value] = splitEntry(text);
      return [name, Template.compile(value)];
    });
  const changes = {
    remove: config.remove[part],
    rename: pairs('rename'),
    replace: pairs('replace'),
    add: pairs('add'),
    append: pairs('append'),
  };
  return Object.values(changes).some((list) => list.length > 0) ? changes : undefined;
}

/** `name:value` apart, with as many colons between them as there are. */
export function splitEntry(text: string): readonly [string, string] {
  const colon = text.indexOf(':', 1);
  if (colon === -1) return [text, ''];
  let start = colon;
  while (text[start] === ':') start += 1;
  return [text.slice(0, colon), text.slice(start)];
}
