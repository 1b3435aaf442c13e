import { ApiError, notAcceptable } from '../status/api-error.ts';

export const protobufType = 'application/vnd.kubernetes.protobuf';

export type MediaType = 'application/json' | 'application/yaml' | typeof protobufType;

/** How an answer is to be written: the encoding, and the view of the objects. */
export interface Representation {
  readonly mediaType: MediaType;
  readonly as: 'object' | 'table' | 'partial' | 'partial-list';
  readonly version: string;
}

interface AcceptClause {
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
}

const objectTypes = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const streamTypes = [
  'application/json;stream=watch',
  'application/vnd.kubernetes.protobuf;stream=watch',
];

export function parseAccept(header: string | undefined): AcceptClause[] {
  if (header === undefined || header === '') return [{ type: '*/*', parameters: {} }];
  return header
    .slice(0, 4096)
    .split(',')
    .map((clause) => {
      const [type = '', ...parameters] = clause.split(';').map((part) => part.trim());
      const entries = parameters.map((part) => {
        const equals = part.indexOf('=');
        return equals < 0 ? [part, ''] : [part.slice(0, equals), part.slice(equals + 1)];
      });
      return { type: type.toLowerCase(), parameters: Object.fromEntries(entries) };
    });
}

/**
 * Picks the first clause that can be served; throws a 406 when there is none. Custom resources
 * have no protobuf form, although the real server names it among what it has.
 */
export function negotiate(
  header: string | undefined,
  allowsStream: boolean,
  isCustom = false,
): Representation {
  for (const clause of parseAccept(header)) {
    const mediaType = mediaTypeOf(clause.type);
    if (mediaType === undefined) continue;
    const isProtobuf = mediaType === protobufType;
    if (isProtobuf && (isCustom || clause.parameters.as === 'Table')) continue;
    const { as, v = 'v1', g } = clause.parameters;
    if (as === undefined) return { mediaType, as: 'object', version: 'v1' };
    if (g !== undefined && g !== 'meta.k8s.io') continue;
    if (v !== 'v1' && v !== 'v1beta1') continue;
    if (as === 'Table') return { mediaType, as: 'table', version: v };
    if (as === 'PartialObjectMetadata') return { mediaType, as: 'partial', version: v };
    if (as === 'PartialObjectMetadataList') return { mediaType, as: 'partial-list', version: v };
  }
  // A known encoding of an unknown view is answered by another part of the real server.
  if (parseAccept(header).some((clause) => mediaTypeOf(clause.type) !== undefined)) {
    throw new ApiError(
      406,
      'NotAcceptable',
      `only the following media types are accepted: ${objectTypes.join(', ')}`,
    );
  }
  throw notAcceptable(allowsStream ? [...objectTypes, ...streamTypes] : objectTypes);
}

export function mediaTypeOf(type: string): MediaType | undefined {
  if (type === '*/*' || type === 'application/*' || type === 'application/json') {
    return 'application/json';
  }
  return type === 'application/yaml' || type === protobufType ? type : undefined;
}
