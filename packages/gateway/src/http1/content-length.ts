/** How the end of a body is told. */
export type BodyFraming =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly length: number }
  | { readonly kind: 'chunked' }
  /** Of answers only: it lasts until the connection is closed. */
  | { readonly kind: 'close' };

export const noBody: BodyFraming = { kind: 'none' };
export const chunkedBody: BodyFraming = { kind: 'chunked' };
export const bodyUntilClose: BodyFraming = { kind: 'close' };

/** Digits only: no sign, no blank, no list, and no more than a number holds exactly. */
export function parseContentLength(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
