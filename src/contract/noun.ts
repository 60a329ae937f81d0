import { z } from 'zod';
import { type NounTable, nounWords } from '../core/noun-words.ts';
import { withArticle } from '../core/text/article.ts';
import { operation } from './operation.ts';
import { filterText, page, pageInput } from './page.ts';
import { knownRevision } from './revision.ts';
import type { Role } from './role.ts';

/** Orders of a list; a minus turns one round. */
export const nounOrders = ['name', '-name', 'updatedAt', '-updatedAt'] as const;
export type NounOrder = (typeof nounOrders)[number];

/** Input of every list of named objects. */
export const nounListInput = pageInput.extend({
  /** Part of the name, whatever its case. */
  search: filterText.optional(),
  sort: z.enum(nounOrders).default('name'),
});

/** What every list says of each object. */
const listed = z.object({
  id: z.string(),
  name: z.string(),
  revision: z.int(),
  createdAt: z.string(),
  updatedAt: z.string(),
});

/** Name or id of one object. */
export const reference = z.strictObject({ id: z.string().min(1, 'is needed') });

/** An object as it is stored. `document` is what a file of it says, and what `update` takes. */
function saved<Document extends z.ZodType>(document: Document) {
  return listed.extend({ document, warnings: z.array(z.string()) });
}

interface NounDefinition<
  Shape extends z.ZodRawShape,
  Item extends z.ZodRawShape,
  Filters extends z.ZodRawShape,
  More extends z.ZodRawShape,
> {
  /** Which noun it is. Addresses and MCP tools call it so with hyphens. */
  noun: NounTable;
  document: z.ZodObject<Shape, z.core.$strict>;
  /** What a list says of each beside the usual. */
  item: Item;
  /** By what a list can be narrowed beside the name. */
  filters?: Filters;
  /** What reading one says beside the usual. */
  more?: More;
  /** Who may write; editors unless said. */
  writer?: Role;
}

/** The five operations that every kind of named object has, over every surface. */
export function nounContract<
  Shape extends z.ZodRawShape,
  Item extends z.ZodRawShape,
  Filters extends z.ZodRawShape = Record<never, never>,
  More extends z.ZodRawShape = Record<never, never>,
>(definition: NounDefinition<Shape, Item, Filters, More>) {
  const { document, item, writer = 'editor' } = definition;
  const noun = definition.noun.replaceAll('_', '-');
  const plural = `${noun}s`;
  const word = nounWords[definition.noun];
  const filters = definition.filters ?? ({} as Filters);
  const more = definition.more ?? ({} as More);
  const one = saved(document).extend(more);
  const anyOne = withArticle(word);
  return {
    list: operation({
      method: 'GET',
      path: `/${plural}`,
      summary: `List ${word}s`,
      role: 'viewer',
      mcp: { name: `list-${plural}`, readOnly: true, destructive: false },
    })
      .input(nounListInput.extend(filters))
      .output(page(listed.extend(item))),
    get: operation({
      method: 'GET',
      path: `/${plural}/{id}`,
      summary: `Get one ${word} by name or id`,
      role: 'viewer',
      mcp: { name: `get-${noun}`, readOnly: true, destructive: false },
    })
      .input(reference)
      .output(one),
    create: operation({
      method: 'POST',
      path: `/${plural}`,
      summary: `Create ${anyOne}`,
      role: writer,
      mcp: { name: `create-${noun}`, readOnly: false, destructive: false },
    })
      .input(document)
      .output(one),
    update: operation({
      method: 'PUT',
      path: `/${plural}/{id}`,
      summary: `Replace ${anyOne}, which may get another name`,
      role: writer,
      mcp: { name: `update-${noun}`, readOnly: false, destructive: true },
    })
      .input(
        document.extend({
          /** Name or id. */
          id: z.string().min(1, 'is needed'),
          revision: knownRevision,
        }),
      )
      .output(one),
    archive: operation({
      method: 'POST',
      path: `/${plural}/{id}/archive`,
      summary: `Archive ${anyOne}; results that name it stay`,
      role: writer,
      mcp: { name: `archive-${noun}`, readOnly: false, destructive: true },
    })
      .input(reference)
      .output(z.object({ id: z.string(), name: z.string() })),
  };
}
