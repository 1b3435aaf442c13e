import type { Core } from '../core/core.ts';
import { writeHead } from '../http/answer.ts';
import type { Exchange } from '../http/exchange.ts';
import { negotiate, protobufType } from '../http/negotiation.ts';
import type { Resource } from '../resources/resource.ts';
import { ApiError, expired, plainFailure } from '../status/api-error.ts';
import { type ListOptions, listOptions } from './list-options.ts';
import { WatchStream } from './watch-stream.ts';

/** Without a timeout of the client's, a watch ends after this long, give or take half of it. */
const minTimeoutMs = 30 * 60 * 1000;

/** GET with watch=true: 200 at once, then events until somebody has had enough. */
export async function handleWatch(
  core: Core,
  exchange: Exchange,
  resource: Resource,
): Promise<void> {
  const representation = negotiate(exchange.header('accept'), true, resource.isCustom);
  const options = withName(listOptions(exchange.query, true), exchange.info.name);
  if (options.resourceVersion !== '' && !/^\d+$/.test(options.resourceVersion)) {
    const quoted = JSON.stringify(options.resourceVersion);
    throw plainFailure(
      `resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: invalid syntax`,
    );
  }
  const timeoutMs =
    options.timeoutSeconds !== undefined && options.timeoutSeconds > 0
      ? options.timeoutSeconds * 1000
      : minTimeoutMs * (1 + Math.random());
  const stream = new WatchStream(core, exchange, resource, options, representation, timeoutMs);
  writeHead(exchange, 200, {
    'Content-Type':
      representation.mediaType === protobufType
        ? `${protobufType};stream=watch`
        : representation.mediaType,
    ...(exchange.isMultiplexed ? {} : { 'Transfer-Encoding': 'chunked' }),
  });
  exchange.response.flushHeaders();
  const version = Number(options.resourceVersion || '0');
  const oldest = core.store.history.oldest(resource.collection);
  if (version > 0 && version < oldest && options.sendsInitialEvents !== true) {
    stream.fail(expired(`too old resource version: ${version} (${oldest})`));
    return;
  }
  try {
    await stream.run();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    stream.fail(error);
  }
}

/** The old watch path names one object; that is a field selector. */
function withName(options: ListOptions, name: string): ListOptions {
  if (name === '') return options;
  return {
    ...options,
    fields: [...options.fields, { field: 'metadata.name', isEqual: true, value: name }],
  };
}
