import type { Driver } from '../driver.ts';
import { clientGoCases } from './client-go.ts';

/** More scenarios of the same format. */
export const driver: Driver = { suite: 'client-go-more', cases: clientGoCases };
