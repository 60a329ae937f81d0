import type { ModelTool } from '../../core/ports.ts';
import { leavesOf } from './leaves.ts';
import { type SchemaNode, schemaTree } from './schema.ts';
import { contentStems, partsOf, sense, stem } from './words.ts';

/** One tool as a bag of words. Stems throughout; `nameSenses[i]` is the sense of `name[i]`. */
export interface ReadTool {
  tool: ModelTool;
  /** All parts of the name, for an exact mention such as `list_directory`. */
  nameParts: readonly string[];
  name: string[];
  nameSenses: string[];
  description: Set<string>;
  descriptionSenses: Set<string>;
  properties: Set<string>;
  schema: SchemaNode;
  /** How many values it cannot do without. */
  needs: number;
  deprecated: boolean;
}

/** The offered tools, and how telling each word is among them: a word that every tool has tells nothing. */
export interface Catalogue {
  tools: ReadTool[];
  weight(stemmed: string): number;
}

const catalogues = new WeakMap<ModelTool[], Catalogue>();

/** Reads each list of tools once: a conversation offers the same list with every message. */
export function catalogueOf(tools: ModelTool[]): Catalogue {
  const known = catalogues.get(tools);
  if (known !== undefined) return known;
  const catalogue = readCatalogue(tools);
  catalogues.set(tools, catalogue);
  return catalogue;
}

function readCatalogue(tools: ModelTool[]): Catalogue {
  const read = tools.map(readTool);
  const holders = new Map<string, number>();
  for (const tool of read) {
    const senses = new Set([
      ...tool.nameSenses,
      ...tool.descriptionSenses,
      ...[...tool.properties].map(sense),
    ]);
    for (const word of senses) holders.set(word, (holders.get(word) ?? 0) + 1);
  }
  return {
    tools: read,
    weight: (stemmed) => Math.log(1 + read.length / (holders.get(sense(stemmed)) ?? 1)),
  };
}

function readTool(tool: ModelTool): ReadTool {
  const nameParts = partsOf(tool.name);
  const name = [...new Set(contentStems(nameParts))];
  const description = new Set(contentStems(partsOf(tool.description)));
  const schema = schemaTree(tool.inputSchema);
  return {
    tool,
    nameParts,
    name,
    nameSenses: name.map(sense),
    description,
    descriptionSenses: new Set([...description].map(sense)),
    properties: new Set(propertyStems(schema)),
    schema,
    needs: leavesOf(schema).filter((leaf) => leaf.required && leaf.node.fallback === undefined).length,
    deprecated: /\bdeprecated\b/i.test(tool.description),
  };
}

function propertyStems(node: SchemaNode): string[] {
  return [...node.parts.map(stem), ...node.children.flatMap(propertyStems)];
}
