import { kubernetesDeclarations } from '../cel/kubernetes.ts';
import { compileCel } from '../cel/program.ts';
import { CelFailure, CelUint } from '../cel/values/value.ts';

/** What an expression without variables comes to: a value, or the words of what is wrong with it. */
export function evaluatedCel(expression: string): unknown {
  const checked = compileCel(expression, kubernetesDeclarations);
  if ('issues' in checked) return checked.issues;
  const program = checked.program(kubernetesDeclarations);
  if (program instanceof CelFailure) return program.message;
  const { value } = program.evaluate(() => undefined);
  if (value instanceof CelFailure) return value.message;
  return value instanceof CelUint ? `${value.value}u` : value;
}
