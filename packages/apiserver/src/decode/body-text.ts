import { badRequest } from '../status/api-error.ts';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** The text of a body; bytes that are not UTF-8 are refused rather than replaced. */
export function bodyText(body: Buffer): string {
  try {
    return decoder.decode(body);
  } catch {
    throw badRequest('the body of the request is not valid UTF-8');
  }
}
