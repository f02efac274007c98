import type { ChatEvent } from '@palimpsest/events';
import { type AssembleInput, type Assembled, type ConversationState, type Held, type OpenAiMessage, type Strategy } from '@palimpsest/strategy';
export interface Folded {
    state: ConversationState;
    entries: Held[];
    originals: Map<string, string>;
}
export declare const counter: import("@palimpsest/tokens").TokenCounter;
export declare function strategyOf(yaml: string): Strategy;
/** Events of one conversation through the pure part of the truncator, offsets by position. */
export declare function foldEvents(events: readonly ChatEvent[], strategy: Strategy): Folded;
/** Folds event by event, so that every state on the way can be looked at. */
export declare function foldingOf({ settings }: Strategy): {
    add(event: ChatEvent): void;
    folded(): Folded;
};
/**
 * The context of folded events at a budget, and its messages in OpenAI's format. As the reader does, it gives the
 * assembly older entries for as long as more would fit.
 */
export declare function contextOf(folded: Folded, strategy: Strategy, budget: number, more?: Partial<AssembleInput>): Assembled & {
    messages: OpenAiMessage[];
};
/** Tokens of OpenAI messages as sent, counted anew and apart from the assembly's own sums. */
export declare function sentTokens(messages: readonly OpenAiMessage[], count?: (text: string) => number): number;
//# sourceMappingURL=fold-in-memory.d.ts.map