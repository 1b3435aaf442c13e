import { setUp } from './setup.mjs';

setUp();
