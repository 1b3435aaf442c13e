/**
 * What of a CEL environment functions are registered with. The library itself stays with the rooms that
 * evaluate expressions.
 */
export interface CelFunctionRegistry {
  registerFunction(signature: string, handler: (...values: never[]) => unknown): unknown;
  registerType(name: string, type: new () => object): unknown;
  registerVariable(name: string, type: string): unknown;
}
