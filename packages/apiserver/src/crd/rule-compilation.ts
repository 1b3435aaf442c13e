import {
  type CelExpressionChecked,
  CelFailure,
  type CelProgram,
  celTypes,
  compileCel,
  type DeclaredType,
  sizesOf,
} from '@waygate/text';
import { declarations } from '../cel/environment.ts';
import type { CelRule } from './json-schema.ts';

const { optionalOf, showType } = celTypes;

/** One rule of a schema, compiled. */
export interface CompiledRule {
  readonly rule: CelRule;
  /** What is wrong with the rule; unset when it can be run. */
  readonly problem?: string;
  readonly program?: CelProgram;
  /** What it costs at most for one value. */
  readonly maxCost: bigint;
  readonly usesOldSelf: boolean;
  readonly messageProblem?: string;
  readonly messageProgram?: CelProgram;
  readonly messageMaxCost: bigint;
}

const broken = { maxCost: 0n, usesOldSelf: false, messageMaxCost: 0n };

/** Compiles a rule on values of a type, with its message. */
export function compileRule(rule: CelRule, declared: DeclaredType): CompiledRule {
  if (rule.rule.trim() === '') return { rule, ...broken };
  const { type } = declared;
  const environment = declarations.with({
    self: type,
    oldSelf: rule.optionalOldSelf === true ? optionalOf(type) : type,
  });
  const compiled = compile(rule.rule, 'bool', 'cel expression must evaluate to a bool');
  if (typeof compiled === 'string') return { rule, problem: compiled, ...broken };
  const { checked, program } = compiled;
  const wrongType = 'messageExpression must evaluate to a string';
  const message =
    rule.messageExpression === undefined || rule.messageExpression === ''
      ? undefined
      : compile(rule.messageExpression, 'string', wrongType, 'messageExpression ');
  return {
    rule,
    program,
    usesOldSelf: checked.uses('oldSelf'),
    // Only who writes a definition asks for costs; objects meet the rules far more often.
    get maxCost() {
      return checked.estimate(sizesOf(declared)).max;
    },
    get messageMaxCost() {
      return typeof message === 'object' ? message.checked.estimate(sizesOf(declared)).max : 0n;
    },
    ...(typeof message === 'string' && { messageProblem: message }),
    ...(typeof message === 'object' && { messageProgram: message.program }),
  };

  function compile(
    text: string,
    wanted: string,
    wrongKind: string,
    prefix = '',
  ): { checked: CelExpressionChecked; program: CelProgram } | string {
    const checked = compileCel(text, environment);
    if ('issues' in checked) return `${prefix}compilation failed: ${checked.issues}`;
    if (showType(checked.type) !== wanted) return wrongKind;
    const program = checked.program(environment);
    if (program instanceof CelFailure) {
      return `${prefix === '' ? 'program ' : prefix}instantiation failed: ${program.message}`;
    }
    return { checked, program };
  }
}
