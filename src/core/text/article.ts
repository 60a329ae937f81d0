/** The noun with its indefinite article: an agent, an MCP server, a prompt. */
export function withArticle(noun: string): string {
  return `${/^([aeiou]|MCP )/i.test(noun) ? 'an' : 'a'} ${noun}`;
}
