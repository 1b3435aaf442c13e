import type { HeaderList } from '../../http/header-list.ts';
import { record, texts } from '../../plugin/config-schema.ts';
import type { BodyStream } from '../../plugin/plugin.ts';
import type { RequestContext } from '../../plugin/request-context.ts';

/** What `sub_filter` and its companions say. */
export interface SubstitutionConfig {
  readonly pairs: readonly { readonly from: string; readonly to: string }[];
  /** Each of them is replaced where it stands first only. */
  readonly once: boolean;
  /** Of bodies; `*` stands for all. */
  readonly types: readonly string[];
}

export const substitutionSchema = record({
  pairs: {
    type: 'array',
    required: true,
    default: [],
    elements: record({
      from: { type: 'string', required: true },
      to: { type: 'string', required: true, len_min: 0 },
    }),
  },
  once: { type: 'boolean', required: true, default: true },
  types: texts({ required: true, default: ['text/html'] }),
});

/** Answers of upstreams whose body is a text of one of the types, and not packed. */
export function isSubstituted(
  { response, method }: RequestContext,
  { types }: SubstitutionConfig,
): boolean {
  if (response?.source !== 'upstream' || response.isBodyDropped === true || method === 'HEAD') {
    return false;
  }
  if (response.headers.has('content-encoding')) return false;
  return isOfType(response.headers, types);
}

/** Whether the body is of one of the types, whatever its character set. */
export function isOfType(headers: HeaderList, types: readonly string[]): boolean {
  const type = (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return types.includes('*') || types.some((one) => one.toLowerCase() === type);
}

/** A body that changes has another length than its upstream says, and is not what its tag is for. */
export function dropLength(headers: HeaderList): void {
  headers.remove('content-length');
  headers.remove('accept-ranges');
  const tag = headers.get('etag');
  if (tag !== undefined && !tag.startsWith('W/')) headers.set('ETag', `W/${tag}`);
}

/**
 * Replaces texts in a body while it streams, without regard to case. Of what came so far, only as much
 * is held back as could be the beginning of a text that is looked for.
 */
export function substitutionStream({ pairs, once }: SubstitutionConfig): BodyStream {
  // One character a byte: texts of any character set are compared by their bytes.
  const wanted = pairs.map(({ from, to }) => ({
    from: Buffer.from(from).toString('latin1').toLowerCase(),
    to: Buffer.from(to).toString('latin1'),
    isDone: false,
  }));
  const longest = Math.max(1, ...wanted.map(({ from }) => from.length));
  let rest = '';
  const replace = (text: string, end: number): string => {
    const lower = text.toLowerCase();
    let sent = '';
    let at = 0;
    for (;;) {
      let found: (typeof wanted)[number] | undefined;
      let place = -1;
      for (const one of wanted) {
        const index = one.isDone || one.from === '' ? -1 : lower.indexOf(one.from, at);
        if (index !== -1 && (place === -1 || index < place)) {
          place = index;
          found = one;
        }
      }
      if (found === undefined || place >= end) break;
      sent += text.slice(at, place) + found.to;
      at = place + found.from.length;
      found.isDone = once;
    }
    const kept = Math.max(at, end);
    rest = text.slice(kept);
    return sent + text.slice(at, kept);
  };
  return {
    data(chunk) {
      const text = rest + chunk.toString('latin1');
      return Buffer.from(replace(text, Math.max(0, text.length - longest + 1)), 'latin1');
    },
    end() {
      const last = replace(rest, rest.length);
      rest = '';
      return Buffer.from(last, 'latin1');
    },
  };
}
