import type { ModelMessage, ModelRequest } from '../../core/ports.ts';
import type { Earlier } from './carry.ts';
import { catalogueOf } from './catalogue.ts';
import { argumentsFor } from './fill.ts';
import type { PlannedCall } from './planned-call.ts';
import { type SkillLoader, skillCalls, skillLoaderOf } from './skills.ts';
import { type Clause, stepsOf } from './steps.ts';
import { type Token, tokensOf } from './tokens.ts';

/** The calls that the conversation asks for next, none when everything that the last user message asks for was called.
 *  Works from the messages alone: the calls made since the user spoke say how far the work has come. */
export function nextCalls(request: ModelRequest): PlannedCall[] {
  const spokenAt = request.messages.findLastIndex((message) => message.role === 'user');
  const spoken = request.messages[spokenAt];
  if (spoken?.role !== 'user') return [];
  const done = request.messages.slice(spokenAt + 1);
  const stage = done.filter((message) => message.role === 'agent').length;

  const loader = skillLoaderOf(request);
  const loading =
    loader === null
      ? []
      : skillCalls(spoken.text, loader, loadedIn(request.messages.slice(0, spokenAt), loader));
  if (stage === 0 && loading.length > 0) return loading;

  const tools = request.tools.filter((tool) => tool !== loader?.tool);
  if (tools.length === 0) return [];
  const catalogue = catalogueOf(tools);
  const names = new Set(request.tools.map((tool) => tool.name.toLowerCase()));
  const tokens = tokensOf(spoken.text).map((token) => toolNameAsWord(token, names));
  const stages = stepsOf(tokens, catalogue).flatMap((step) =>
    areIndependent(step) ? [step] : step.map((clause) => [clause]),
  );
  const next = stages[stage - (loading.length > 0 ? 1 : 0)] ?? [];
  const earlier = earlierIn(done);
  return next.flatMap(({ tokens: clause, pick }) =>
    argumentsFor(pick.tool, clause, spoken.text, earlier).map((args) => ({
      name: pick.tool.tool.name,
      args,
    })),
  );
}

/** The skills that were asked for before. */
function loadedIn(messages: ModelMessage[], loader: SkillLoader): Set<string> {
  const calls = messages.flatMap((message) => (message.role === 'agent' ? message.toolCalls : []));
  return new Set(
    calls.flatMap((call) =>
      call.name === loader.tool.name && 'args' in call ? [String(call.args[loader.argument])] : [],
    ),
  );
}

/** A tool's name with a digit in it would read as an identifier. */
function toolNameAsWord(token: Token, names: Set<string>): Token {
  if (token.kind !== 'value' || token.form !== 'bare' || typeof token.value !== 'string') return token;
  if (!names.has(token.value.toLowerCase())) return token;
  return { kind: 'word', text: token.value, start: token.start, end: token.end };
}

/** Clauses may run at once where none points back and none shares a value with another. */
function areIndependent(step: Clause[]): boolean {
  const values = step.map(({ tokens }) =>
    tokens.flatMap((token) =>
      token.kind === 'value' && typeof token.value === 'string' ? [token.value] : [],
    ),
  );
  const pointsBack = step
    .slice(1)
    .some(({ tokens }) =>
      tokens.some((token) => token.kind === 'word' && /^(?:it|its|them|there|that|this)$/i.test(token.text)),
    );
  const share = values.some((own, index) =>
    own.some((value) =>
      values.some(
        (other, at) => at !== index && other.some((text) => text.startsWith(value) || value.startsWith(text)),
      ),
    ),
  );
  return !pointsBack && !share;
}

function earlierIn(done: ModelMessage[]): Earlier {
  return {
    args: done.flatMap((message) =>
      message.role === 'agent'
        ? message.toolCalls.flatMap((call) => ('args' in call ? [call.args] : []))
        : [],
    ),
    results: done.flatMap((message) => (message.role === 'tool' && !message.isError ? [message.text] : [])),
  };
}
