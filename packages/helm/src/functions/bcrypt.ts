import { bcryptSteps, bcryptText } from '@waygate/text';
import { encodeBytes } from '../go/bytes.ts';

const settings = '$2a$10$';
const maxPassword = 72;

/** A password hashed by bcrypt, as Sprig does it; a text of an error where it is too long. */
export function bcryptHash(password: string, salt: Uint8Array): string {
  const bytes = encodeBytes(password);
  if (bytes.length > maxPassword) {
    return `failed to encrypt string with bcrypt: bcrypt: password length exceeds ${maxPassword} bytes`;
  }
  const steps = bcryptSteps(bytes, settings + bcryptText(salt));
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}
