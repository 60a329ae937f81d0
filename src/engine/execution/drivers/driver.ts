import type { ConversationDefinition } from '../../../core/documents/conversation.ts';
import type { Json } from '../../../core/json.ts';
import type { AgentTurn, UserTurn } from '../../../core/ports.ts';
import type { EndReason } from '../../../core/trace.ts';

type ConversationType = ConversationDefinition['type'];
type ConversationOf<Type extends ConversationType> = Extract<ConversationDefinition, { type: Type }>;

/** Says something to the subject, as a fact of the trace, and resolves with its whole answer. */
export type Say = (turn: UserTurn) => Promise<AgentTurn>;

/** One way to hold a conversation. */
export interface Driver<Type extends ConversationType = ConversationType> {
  type: Type;
  /** What the conversation starts from, as the trace shows it. */
  input(conversation: ConversationOf<Type>): Json;
  /** Resolves when the conversation is over, with the reason where it has the notion of one. */
  run(conversation: ConversationOf<Type>, say: Say): Promise<EndReason | null>;
}
