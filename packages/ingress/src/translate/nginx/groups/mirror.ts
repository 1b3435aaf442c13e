import type { Ingress } from '../../../objects/ingress.ts';
import type { PluginEntity } from '../../kong-state.ts';
import type { AnnotationReader } from '../annotation-reader.ts';

/** Requests that are sent to a second place as well, whose answers nobody waits for. */
export function parseMirror(
  { metadata }: Ingress,
  read: AnnotationReader,
): PluginEntity | undefined {
  const url = read.text('mirror-target');
  const host = read.text('mirror-host');
  const body = read.text('mirror-request-body') ?? 'on';
  if (url === undefined) return undefined;
  // Variables stand for a host as well as for a path.
  if (!/^https?:\/\/(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._\-${}]+)(:\d{1,5})?([/?$][^#]*)?$/i.test(url)) {
    read.problem('mirror-target', 'is no URL with http or https and a host, and is not used');
    return undefined;
  }
  return {
    name: 'traffic-mirror',
    config: {
      url,
      ...(host !== undefined && { host }),
      request_body: body === 'on',
      location: `/_mirror-${metadata.uid ?? ''}`,
    },
  };
}
