export { convertToKic, type KicManifests, writeKicJson } from './convert-kic.ts';
export type { KicTarget, Manifest as KicManifest } from './manifest.ts';
