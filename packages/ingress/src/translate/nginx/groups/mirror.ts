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
