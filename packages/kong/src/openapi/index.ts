export { convertOpenApi, type OpenApiOptions } from './convert-openapi.ts';
