import { convertOpenApi, type OpenApiOptions } from '../src/openapi/convert-openapi.ts';
import type { StateObject } from '../src/rewrite/state-document.ts';

export const api = (title: string, rest: object): string =>
  JSON.stringify({ openapi: '3.0.3', info: { title, version: 'v1' }, ...rest });

export const convert = (text: string, options?: OpenApiOptions): StateObject =>
  convertOpenApi(text, 'api.yaml', options);

export const services = (document: StateObject): StateObject[] =>
  document.services as StateObject[];
export const routes = (document: StateObject, index = 0): StateObject[] =>
  services(document)[index]?.routes as StateObject[];
export const plugins = (entity: StateObject | undefined): StateObject[] =>
  entity?.plugins as StateObject[];

/** One path with one operation. */
export const one = (operation: object, path = '/x'): object => ({
  paths: { [path]: { get: operation } },
});
