import type { TokenUsage } from '../core/trace.ts';

/** US dollars per million tokens. */
interface Price {
  input: number;
  /** Input that the provider had in its cache. */
  cachedInput: number;
  output: number;
}

interface ListPrice extends Price {
  /** What a request with more input than this costs altogether. */
  beyond?: Price & { inputTokens: number };
}

/** List prices of the standard tier, noted on 2026-11-30. A model that is not here has no known price; nor has one whose
 *  price is about to change. */
const prices: Record<string, ListPrice> = {
  'openai:gpt-6.2-astra': {
    input: 8,
    cachedInput: 0.4,
    output: 40,
    beyond: { inputTokens: 272_000, input: 16, cachedInput: 0.8, output: 60 },
  },
  'openai:gpt-6.2-sol': {
    input: 2,
    cachedInput: 0.1,
    output: 10,
    beyond: { inputTokens: 272_000, input: 4, cachedInput: 0.2, output: 15 },
  },
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
  'anthropic:claude-fable-5-1': { input: 10, cachedInput: 0.25, output: 50 },
  'anthropic:claude-fable-5': { input: 10, cachedInput: 1, output: 50 },
  'anthropic:claude-opus-5-5': { input: 4, cachedInput: 0.2, output: 20 },
  'anthropic:claude-opus-5': { input: 5, cachedInput: 0.5, output: 25 },
  'anthropic:claude-opus-4-8': { input: 5, cachedInput: 0.5, output: 25 },
  'anthropic:claude-opus-4-7': { input: 5, cachedInput: 0.5, output: 25 },
  'anthropic:claude-opus-4-6': { input: 5, cachedInput: 0.5, output: 25 },
  'anthropic:claude-opus-4-5': { input: 5, cachedInput: 0.5, output: 25 },
  'anthropic:claude-opus-4-1': { input: 15, cachedInput: 1.5, output: 75 },
  'anthropic:claude-sonnet-5-5': { input: 2, cachedInput: 0.1, output: 10 },
  'anthropic:claude-sonnet-5': { input: 2, cachedInput: 0.2, output: 10 },
  'anthropic:claude-sonnet-4-6': { input: 3, cachedInput: 0.3, output: 15 },
  'anthropic:claude-sonnet-4-5': { input: 3, cachedInput: 0.3, output: 15 },
  'anthropic:claude-haiku-5-5': {
    input: 0.1,
    cachedInput: 0.01,
    output: 0.5,
    beyond: { inputTokens: 100_000, input: 0.5, cachedInput: 0.05, output: 2.5 },
  },
  'anthropic:claude-haiku-4-5': { input: 1, cachedInput: 0.1, output: 5 },
  'google-genai:gemini-4-neon': { input: 3, cachedInput: 0.15, output: 15 },
  'google-genai:gemini-4-hydrogen': { input: 1.5, cachedInput: 0.075, output: 7.5 },
  'google-genai:gemini-3.5-flash': { input: 1.5, cachedInput: 0.15, output: 9 },
  'google-genai:gemini-3.1-pro-preview': {
    input: 2,
    cachedInput: 0.2,
    output: 12,
    beyond: { inputTokens: 200_000, input: 4, cachedInput: 0.4, output: 18 },
  },
  'google-genai:gemini-3.1-flash-lite': { input: 0.25, cachedInput: 0.025, output: 1.5 },
  'google-genai:gemini-2.5-pro': {
    input: 1.25,
    cachedInput: 0.125,
    output: 10,
    beyond: { inputTokens: 200_000, input: 2.5, cachedInput: 0.25, output: 15 },
  },
  'google-genai:gemini-2.5-flash': { input: 0.3, cachedInput: 0.03, output: 2.5 },
  'google-genai:gemini-2.5-flash-lite': { input: 0.1, cachedInput: 0.01, output: 0.4 },
};

/** What a request cost in US dollars; null where the price or the usage is not known. A dated name such as
 *  `gpt-4o-2024-08-06` or `claude-haiku-4-5-20251001` costs what the undated one does. `cachedTokens` are a part of the
 *  input tokens. */
export function costOf(model: string, usage: TokenUsage | null, cachedTokens = 0): number | null {
  const name = model.replace(/-(\d{4}-\d{2}-\d{2}|20\d{6})$/, '');
  const listed = Object.hasOwn(prices, name) ? prices[name] : undefined;
  if (listed === undefined || usage === null) return null;
  const { beyond } = listed;
  const price: Price = beyond !== undefined && usage.inputTokens > beyond.inputTokens ? beyond : listed;
  const fresh = usage.inputTokens - cachedTokens;
  return (
    (fresh * price.input + cachedTokens * price.cachedInput + usage.outputTokens * price.output) / 1_000_000
  );
}
