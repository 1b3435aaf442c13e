import type { TlsSettings } from '../config/connection-config.ts';
import type { Credentials } from '../config/credentials.ts';
import { RotatingFile } from '../config/rotating-file.ts';

/** What goes into a TLS connection. `key` tells equal ones apart from changed ones. */
export interface TlsMaterial {
  readonly ca: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
}

/** Reads the TLS settings, files again when they get old, so that rotated ones come into use. */
export class TlsMaterialSource {
  readonly #ca: () => Promise<string | undefined>;
  readonly #certificate: () => Promise<string | undefined>;
  readonly #key: () => Promise<string | undefined>;

  constructor(settings: TlsSettings | undefined, now: () => number) {
    this.#ca = textSource(settings?.caData, settings?.caFile, now);
    this.#certificate = textSource(settings?.certificateData, settings?.certificateFile, now);
    this.#key = textSource(settings?.keyData, settings?.keyFile, now);
  }

  async get(credentials: Credentials): Promise<TlsMaterial> {
    if (credentials.certificate !== undefined) {
      const { certificate, key } = credentials.certificate;
      return { ca: await this.#ca(), certificate, key };
    }
    return { ca: await this.#ca(), certificate: await this.#certificate(), key: await this.#key() };
  }
}

export function isSameMaterial(left: TlsMaterial, right: TlsMaterial): boolean {
  return left.ca === right.ca && left.certificate === right.certificate && left.key === right.key;
}

/** Data wins over a file, as in kubeconfig. */
function textSource(
  data: string | undefined,
  file: string | undefined,
  now: () => number,
): () => Promise<string | undefined> {
  if (data !== undefined && data !== '') return async () => data;
  if (file === undefined || file === '') return async () => undefined;
  const rotating = new RotatingFile({ path: file, now });
  return () => rotating.text();
}
