import { GoError } from '../go/function.ts';

export const warningStart = 'HELM_ERR_START';
export const warningEnd = 'HELM_ERR_END';

/** The error of `fail` and `required`, of which only the text between the marks is shown. */
export function warning(text: string): GoError {
  return new GoError(warningStart + text + warningEnd);
}
