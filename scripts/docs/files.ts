import { openApiDocument } from './openapi.ts';
import { checksPage, operationsPage } from './pages.ts';

/** Every file of the documentation that is made from the source, by its path in the project. */
export async function generatedFiles(version: string): Promise<Map<string, string>> {
  return new Map([
    ['docs/openapi.json', `${JSON.stringify(await openApiDocument(version), null, 2)}\n`],
    ['docs/reference/operations.md', operationsPage()],
    ['docs/reference/checks.md', checksPage()],
  ]);
}
