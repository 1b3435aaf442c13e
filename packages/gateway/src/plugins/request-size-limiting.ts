import { definePlugin } from '../plugin/plugin.ts';
import type { RequestContext } from '../plugin/request-context.ts';
import { readBody } from '../proxy/request-body.ts';

interface Config {
  readonly allowed_payload_size: number;
  readonly size_unit: 'megabytes' | 'kilobytes' | 'bytes';
  readonly require_content_length: boolean;
}

const units = { megabytes: 1_024 * 1_024, kilobytes: 1_024, bytes: 1 };

/** Refuses requests with large bodies. */
export const requestSizeLimiting = definePlugin<Config>({
  name: 'request-size-limiting',
  priority: 951,
  access(context, config) {
    const limit = config.allowed_payload_size * units[config.size_unit];
    const length = context.contentLength;
    if (length !== undefined && Number.isInteger(length)) {
      if (length > limit) refuse(context);
      return undefined;
    }
    if (config.require_content_length) {
      context.fail(411, 'A valid Content-Length header is required');
      return undefined;
    }
    if (!context.hasBody) return undefined;
    // The length is only known once it is there: what is within the limit is held meanwhile.
    return readBody(context, limit).then((body) => {
      if (body === undefined) refuse(context);
    });
  },
});

function refuse(context: RequestContext): void {
  const isWaiting = context.headers.get('expect')?.toLowerCase() === '100-continue';
  context.fail(isWaiting ? 417 : 413, 'Request size limit exceeded');
}
