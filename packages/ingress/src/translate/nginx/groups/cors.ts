import type { PluginEntity } from '../../kong-state.ts';
import type { AnnotationReader } from '../annotation-reader.ts';

const methods = 'GET, PUT, POST, DELETE, PATCH, OPTIONS';
const headers =
  'DNT,Keep-Alive,User-Agent,X-Requested-With,If-Modified-Since,Cache-Control,Content-Type,Range,Authorization';
const origin = /^(\*|null|[a-z][a-z0-9+.-]*:\/\/(\*\.)?[A-Za-z0-9\-.]*(:\d+)?)$/i;

/** Cross-origin requests: OPTIONS is answered by the gateway, and other answers say who may read them. */
export function parseCors(read: AnnotationReader): PluginEntity | undefined {
  if (read.bool('enable-cors') !== true) return undefined;
  const origins = originsOf(read);
  if (origins.length === 0) return undefined;
  const exposed = read.text('cors-expose-headers');
  return {
    name: 'cors-nginx',
    config: {
      allow_origin: origins,
      allow_methods: read.text('cors-allow-methods') ?? methods,
      allow_headers: read.text('cors-allow-headers') ?? headers,
      ...(exposed !== undefined && { expose_headers: exposed }),
      allow_credentials: read.bool('cors-allow-credentials') ?? true,
      max_age: read.int('cors-max-age') ?? 1_728_000,
    },
  };
}

/** What is no origin is skipped; where there is no other, no page may read the answers. */
function originsOf(read: AnnotationReader): string[] {
  const wanted = read.list('cors-allow-origin') ?? ['*'];
  const origins = wanted.filter((one) => {
    const isOrigin = origin.test(one);
    if (!isOrigin) read.problem('cors-allow-origin', `${JSON.stringify(one)} is no origin`);
    return isOrigin;
  });
  return origins.includes('*') ? ['*'] : origins;
}
