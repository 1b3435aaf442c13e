import { configSchema, texts } from '../../plugin/config-schema.ts';
import { definePlugin } from '../../plugin/plugin.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import { gzipStream } from './gzip-stream.ts';
import { dropLength, isOfType } from './text-substitution.ts';

interface Config {
  readonly level: number;
  readonly min_length: number;
  readonly types: readonly string[];
}

const shared = 'nginx gzip';
/** The statuses whose bodies nginx packs. */
const packed: ReadonlySet<number> = new Set([200, 403, 404]);

/** Packs answers for clients that take gzip, as nginx does: of some types, and from a length on. */
export const nginxGzip = definePlugin<Config>({
  name: 'nginx-gzip',
  isUnlisted: true,
  // After all that looks at a body or its type.
  priority: 1,
  schema: configSchema({
    level: { type: 'integer', required: true, default: 1, between: [1, 9] },
    min_length: { type: 'integer', required: true, default: 256, between: [0, 2 ** 31 - 1] },
    types: texts({ required: true, default: ['text/html'] }),
  }),
  headerFilter(context, config) {
    const { response } = context;
    if (response === undefined || !isPackable(context, config)) return;
    response.headers.add('Vary', 'Accept-Encoding');
    if (takesGzip(context.headers.get('accept-encoding')) && context.method !== 'HEAD') {
      context.shared.set(shared, true);
      dropLength(response.headers);
      response.headers.add('Content-Encoding', 'gzip');
    }
  },
  bodyStream: (context, { level }) => (context.shared.has(shared) ? gzipStream(level) : undefined),
});

function isPackable({ response }: RequestContext, config: Config): boolean {
  if (response?.source !== 'upstream' || response.isBodyDropped === true) return false;
  const { headers } = response;
  const length = headers.get('content-length');
  if (length !== undefined && Number(length) < config.min_length) return false;
  return (
    packed.has(response.status) &&
    !headers.has('content-encoding') &&
    isOfType(headers, ['text/html', ...config.types])
  );
}

/** `gzip`, or `*`, unless with a weight of nothing. */
function takesGzip(accepted: string | undefined): boolean {
  return (accepted ?? '').split(',').some((one) => {
    const [name = '', ...parameters] = one.split(';').map((part) => part.trim().toLowerCase());
    if (name !== 'gzip' && name !== '*') return false;
    return !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
