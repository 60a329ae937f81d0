/** `${NAME}` in a file; `$${NAME}` stands for the literal text. */
export const variablePattern = /(?<!\$)\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

// One dollar sign makes a variable; of several, each escapes the next, so that every text can be written.
const place = /(\$+)\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** The names that a text asks for, each once. */
export function variablesIn(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(variablePattern), ([, name]) => name as string))];
}

/** The text with every `${NAME}` replaced by its value, and the names that have none. */
export function fillVariables(
  text: string,
  variables: Readonly<Record<string, string>>,
): { text: string; unset: string[] } {
  const unset = variablesIn(text).filter((name) => !Object.hasOwn(variables, name));
  const filled = text.replace(place, (whole, dollars: string, name: string) =>
    dollars.length > 1
      ? whole.slice(1)
      : Object.hasOwn(variables, name)
        ? (variables[name] as string)
        : whole,
  );
  return { text: filled, unset };
}

/** Whether a variable of this name most likely holds a secret. */
export function looksSecret(name: string): boolean {
  return /token|secret|passw(or)?d|credential|(^|_|api)keys?(_|\d|$)/i.test(name);
}

/** Writes a text so that filling its variables gives it back. */
export function escapeVariables(text: string): string {
  return text.replace(place, (whole) => `$${whole}`);
}
