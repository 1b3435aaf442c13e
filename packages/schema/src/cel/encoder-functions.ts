import type { CelFunctionRegistry } from './function-registry.ts';

/** The name that encoders are called by. */
class Base64 {}

/** What the name `base64` stands for when an expression is evaluated. */
export const base64 = new Base64();

/** `base64.encode` and `base64.decode`. */
export function registerEncoderFunctions(registry: CelFunctionRegistry): void {
  registry.registerType('Base64', Base64);
  registry.registerVariable('base64', 'Base64');
  registry.registerFunction('Base64.encode(bytes): string', (_base64: Base64, bytes: Uint8Array) =>
    Buffer.from(bytes).toString('base64'),
  );
  registry.registerFunction('Base64.decode(string): bytes', (_base64: Base64, text: string) => {
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw new Error('illegal base64 data');
    return new Uint8Array(Buffer.from(text, 'base64'));
  });
}
