import type { TokenUsage } from '../core/trace.ts';

/** US dollars per million tokens. */
interface Price {
  input: number;
  /** Input that the provider had in its cache. */
  cachedInput: number;
  output: number;
}

/** List prices of the standard tier, noted on 2026-11-30. A model that is not here has no known price. */
const prices: Record<string, Price> = {
  'openai:gpt-5.5': { input: 5, cachedInput: 0.5, output: 30 },
  'openai:gpt-5.4': { input: 2.5, cachedInput: 0.25, output: 15 },
  'openai:gpt-5.4-mini': { input: 0.75, cachedInput: 0.075, output: 4.5 },
  'openai:gpt-5.4-nano': { input: 0.2, cachedInput: 0.02, output: 1.25 },
  'openai:gpt-5.2': { input: 1.75, cachedInput: 0.175, output: 14 },
  'openai:gpt-5.1': { input: 1.25, cachedInput: 0.125, output: 10 },
  'openai:gpt-5': { input: 1.25, cachedInput: 0.125, output: 10 },
  'openai:gpt-5-mini': { input: 0.25, cachedInput: 0.025, output: 2 },
  'openai:gpt-5-nano': { input: 0.05, cachedInput: 0.005, output: 0.4 },
  'openai:gpt-4.1': { input: 2, cachedInput: 0.5, output: 8 },
  'openai:gpt-4.1-mini': { input: 0.4, cachedInput: 0.1, output: 1.6 },
  'openai:gpt-4.1-nano': { input: 0.1, cachedInput: 0.025, output: 0.4 },
  'openai:gpt-4o': { input: 2.5, cachedInput: 1.25, output: 10 },
  'openai:gpt-4o-mini': { input: 0.15, cachedInput: 0.075, output: 0.6 },
  'openai:o3': { input: 2, cachedInput: 0.5, output: 8 },
  'openai:o4-mini': { input: 1.1, cachedInput: 0.275, output: 4.4 },
};

/** What a request cost in US dollars; null where the price or the usage is not known. A dated name such as
 *  `gpt-4o-2024-08-06` costs what the undated one does. `cachedTokens` are a part of the input tokens. */
export function costOf(model: string, usage: TokenUsage | null, cachedTokens = 0): number | null {
  const name = model.replace(/-\d{4}-\d{2}-\d{2}$/, '');
  const price = Object.hasOwn(prices, name) ? prices[name] : undefined;
  if (price === undefined || usage === null) return null;
  const fresh = usage.inputTokens - cachedTokens;
  return (
    (fresh * price.input + cachedTokens * price.cachedInput + usage.outputTokens * price.output) / 1_000_000
  );
}
