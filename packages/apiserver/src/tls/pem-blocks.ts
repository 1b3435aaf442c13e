/** One block of a PEM text. */
export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly der: Buffer;
}

const begin = '-----BEGIN ';
const dashes = '-----';

/** The blocks of a text, in order; what is no block is passed over. */
export function* pemBlocks(text: string): Generator<PemBlock> {
  for (let at = text.indexOf(begin); at >= 0; at = text.indexOf(begin, at)) {
    const typeEnd = text.indexOf(dashes, at + begin.length);
    if (typeEnd < 0) return;
    const type = text.slice(at + begin.length, typeEnd);
    const end = `-----END ${type}-----`;
    const bodyEnd = text.indexOf(end, typeEnd);
    at = typeEnd;
    if (bodyEnd < 0 || type.includes('\n')) continue;
    const body = text.slice(typeEnd + dashes.length, bodyEnd);
    const hasHeaders = body.includes(':');
    const blank = hasHeaders ? body.indexOf('\n\n') : 0;
    yield {
      type,
      hasHeaders,
      der: Buffer.from(blank < 0 ? '' : body.slice(blank), 'base64'),
    };
    at = bodyEnd + end.length;
  }
}
