import type { GoType } from '../go/type.ts';
import { GoComplex, GoInt, type GoValue, goInt } from '../go/value.ts';
import { type BoolNode, type NumberNode, printNode, type StringNode } from './node.ts';

/** A number constant where nothing says what it should be; undefined where it is too large for an int. */
export function idealConstant(node: NumberNode): Exclude<GoValue, null> | undefined {
  const { text, complex, float, int } = node;
  if (complex !== undefined) return new GoComplex(complex.real, complex.imaginary);
  const isHexInt = /^0[xX]/.test(text) && text.length > 2 && !/[pP]/.test(text);
  if (float !== undefined && !isHexInt && text[0] !== "'" && /[.eEpP]/.test(text)) return float;
  return int === undefined ? undefined : goInt(int);
}

/** A constant as an argument of a parameter of that type, or why it cannot be one. */
export function constantOf(
  node: BoolNode | NumberNode | StringNode,
  type: GoType,
): Exclude<GoValue, null> | { readonly problem: string } {
  switch (type.kind) {
    case 'bool':
      return node.kind === 'bool' ? node.value : unfit('bool', node);
    case 'string':
      return node.kind === 'string' ? node.value : unfit('string', node);
    case 'float64':
      return node.kind === 'number' && node.float !== undefined ? node.float : unfit('float', node);
    case 'int':
    case 'int32':
    case 'int64':
      return node.kind === 'number' && node.int !== undefined
        ? new GoInt(type, node.int)
        : unfit('integer', node);
    case 'uint8':
    case 'uint32':
    case 'uint64':
      return node.kind === 'number' && node.uint !== undefined
        ? new GoInt(type, BigInt.asUintN(type.kind === 'uint32' ? 32 : 64, node.uint))
        : unfit('unsigned integer', node);
    default:
      return { problem: `can't handle ${printNode(node)} for arg of type ${type.name}` };
  }
}

function unfit(wanted: string, node: BoolNode | NumberNode | StringNode): { problem: string } {
  return { problem: `expected ${wanted}; found ${printNode(node)}` };
}
