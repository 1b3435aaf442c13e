import { KongError } from '../kong-error.ts';
import type { StateObject } from './state-document.ts';

const versionForm = /^(\d+)\.(\d+)$/;

/** A file to merge, with the name that messages give it. */
export interface NamedDocument {
  readonly file: string;
  readonly document: StateObject;
}

/**
 * Puts declarative files together without looking at what is in them: lists at the top are joined,
 * of everything else the last one stays. Files of different major versions are refused.
 */
export function mergeDocuments(documents: readonly NamedDocument[]): StateObject {
  const merged: StateObject = {};
  let newest: readonly [number, number] | undefined;
  for (const { file, document } of documents) {
    const version = versionOf(document, file);
    if (newest !== undefined && version !== undefined && newest[0] !== version[0]) {
      throw new KongError(
        'WG_KONG_FILE',
        `failed to merge ${file}: major versions are incompatible; ${newest.join('.')} and ${version.join('.')}`,
      );
    }
    if (version !== undefined && (newest === undefined || version[1] > newest[1])) newest = version;
    refuseTransform(merged, document, file);
    for (const [field, value] of Object.entries(document)) {
      const before = merged[field];
      merged[field] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value;
    }
  }
  if (newest !== undefined) merged._format_version = newest.join('.');
  return merged;
}

function versionOf(document: StateObject, file: string): readonly [number, number] | undefined {
  const { _format_version: version } = document;
  if (version === undefined) return undefined;
  const match = versionForm.exec(String(version));
  if (typeof version !== 'string' || match === null) {
    throw new KongError(
      'WG_KONG_FILE',
      `failed to merge ${file}: expected '_format_version' to be a string in the format 'x.y'`,
    );
  }
  return [Number(match[1]), Number(match[2])];
}

/** A file says with `_transform` whether its secrets are to be hashed: two cannot say it both ways. */
function refuseTransform(merged: StateObject, document: StateObject, file: string): void {
  if (Object.keys(merged).length === 0) return;
  const [one, two] = [merged._transform ?? true, document._transform ?? true];
  if (one !== two) {
    throw new KongError(
      'WG_KONG_FILE',
      `failed to merge ${file}: files with '_transform: true' (default) and '_transform: false' are not compatible`,
    );
  }
}
