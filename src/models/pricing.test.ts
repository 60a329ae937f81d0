import { expect, test } from 'vitest';
import { costOf } from './pricing.ts';

const usage = { inputTokens: 2_000_000, outputTokens: 500_000 };

test.each([
  ['openai:gpt-5-mini', 0.5 + 1],
  ['anthropic:claude-opus-5-5', 8 + 10],
  ['google-genai:gemini-2.5-flash', 0.6 + 1.25],
])('a request to %s costs its input and output tokens by the price of the model', (model, dollars) => {
  expect(costOf(model, usage)).toBeCloseTo(dollars, 10);
});

test('input from the cache costs less', () => {
  expect(costOf('openai:gpt-5-mini', usage, 1_000_000)).toBeCloseTo(0.25 + 0.025 + 1, 10);
});

test('a request with much input costs another price altogether, from one token beyond the limit on', () => {
  const cost = (inputTokens: number) =>
    costOf('google-genai:gemini-2.5-pro', { inputTokens, outputTokens: 100_000 });
  expect(cost(200_000)).toBeCloseTo(0.25 + 1, 10);
  expect(cost(200_001)).toBeCloseTo(0.5000025 + 1.5, 10);
});

test.each([
  ['openai:gpt-4o-2024-08-06', 'openai:gpt-4o'],
  ['anthropic:claude-haiku-4-5-20251001', 'anthropic:claude-haiku-4-5'],
])('the dated name %s costs what the undated one does', (dated, undated) => {
  expect(costOf(dated, usage)).toBe(costOf(undated, usage));
  expect(costOf(dated, usage)).not.toBeNull();
});

test.each(['openai:gpt-4o-audio', 'openai:constructor', 'gpt-4o', 'ollama:llama3', 'anthropic:gpt-4o'])(
  'the price of %s is not known',
  (model) => {
    expect(costOf(model, usage)).toBeNull();
  },
);

test('a cost without usage is not known', () => {
  expect(costOf('openai:gpt-4o', null)).toBeNull();
});
