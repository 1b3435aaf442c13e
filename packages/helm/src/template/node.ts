import { quoteString } from '../go/quote.ts';

/** The file that a node stands in: names and text for the places of errors. */
export interface Source {
  /** The name under which the text was parsed, which errors show: `demo/templates/x.yaml`, or `gotpl`. */
  readonly name: string;
  readonly text: string;
}

interface At {
  readonly source: Source;
  /** Where it starts in the text. */
  readonly at: number;
}

export type Node =
  | TextNode
  | CommentNode
  | ActionNode
  | BreakNode
  | BranchNode
  | TemplateNode
  | ListNode
  | EndNode
  | ElseNode
  | PipeNode
  | CommandNode
  | OperandNode;

/** What can be a word of a command. */
export type OperandNode =
  | IdentifierNode
  | VariableNode
  | DotNode
  | NilNode
  | FieldNode
  | ChainNode
  | BoolNode
  | NumberNode
  | StringNode
  | PipeNode;

export interface ListNode extends At {
  readonly kind: 'list';
  readonly nodes: Node[];
}
interface TextNode extends At {
  readonly kind: 'text';
  readonly text: string;
}
interface CommentNode extends At {
  readonly kind: 'comment';
}
interface ActionNode extends At {
  readonly kind: 'action';
  readonly pipe: PipeNode;
}
interface BreakNode extends At {
  readonly kind: 'break' | 'continue';
}
interface EndNode extends At {
  readonly kind: 'end';
}
interface ElseNode extends At {
  readonly kind: 'else';
}
export interface BranchNode extends At {
  readonly kind: 'if' | 'range' | 'with';
  readonly pipe: PipeNode;
  readonly list: ListNode;
  readonly elseList?: ListNode | undefined;
}
export interface TemplateNode extends At {
  readonly kind: 'template';
  readonly name: string;
  readonly pipe?: PipeNode | undefined;
}
export interface PipeNode extends At {
  readonly kind: 'pipe';
  readonly declared: VariableNode[];
  isAssign: boolean;
  readonly commands: CommandNode[];
}
export interface CommandNode extends At {
  readonly kind: 'command';
  readonly args: OperandNode[];
}
interface IdentifierNode extends At {
  readonly kind: 'identifier';
  readonly name: string;
}
interface VariableNode extends At {
  readonly kind: 'variable';
  /** The variable with its `$`, and the fields after it. */
  readonly names: readonly string[];
}
interface DotNode extends At {
  readonly kind: 'dot';
}
interface NilNode extends At {
  readonly kind: 'nil';
}
interface FieldNode extends At {
  readonly kind: 'field';
  readonly names: readonly string[];
}
interface ChainNode extends At {
  readonly kind: 'chain';
  readonly of: OperandNode;
  readonly names: string[];
}
export interface BoolNode extends At {
  readonly kind: 'bool';
  readonly value: boolean;
}
export interface StringNode extends At {
  readonly kind: 'string';
  readonly quoted: string;
  readonly value: string;
}

/** A number constant, which is what its place wants it to be, where it can. */
export interface NumberNode extends At {
  readonly kind: 'number';
  readonly text: string;
  readonly int?: bigint;
  readonly uint?: bigint;
  readonly float?: number;
  readonly complex?: { readonly real: number; readonly imaginary: number };
}

/** A node as text, as errors show it between `<` and `>`. */
export function printNode(node: Node): string {
  switch (node.kind) {
    case 'list':
      return node.nodes.map(printNode).join('');
    case 'text':
      return node.text;
    case 'comment':
      return '';
    case 'action':
      return `{{${printNode(node.pipe)}}}`;
    case 'break':
    case 'continue':
    case 'end':
    case 'else':
      return `{{${node.kind}}}`;
    case 'if':
    case 'range':
    case 'with': {
      const otherwise = node.elseList ? `{{else}}${printNode(node.elseList)}` : '';
      return `{{${node.kind} ${printNode(node.pipe)}}}${printNode(node.list)}${otherwise}{{end}}`;
    }
    case 'template':
      return `{{template ${quoteString(node.name)}${node.pipe ? ` ${printNode(node.pipe)}` : ''}}}`;
    case 'pipe': {
      const variables = node.declared.map(printNode).join(', ');
      const assigns = variables && `${variables} ${node.isAssign ? '=' : ':='} `;
      return assigns + node.commands.map(printNode).join(' | ');
    }
    case 'command':
      return node.args.map(printOperand).join(' ');
    case 'chain':
      return `${printOperand(node.of)}.${node.names.join('.')}`;
    case 'identifier':
      return node.name;
    case 'variable':
      return node.names.join('.');
    case 'dot':
      return '.';
    case 'nil':
      return 'nil';
    case 'field':
      return `.${node.names.join('.')}`;
    case 'bool':
      return String(node.value);
    case 'string':
      return node.quoted;
    case 'number':
      return node.text;
  }
}

function printOperand(node: OperandNode): string {
  return node.kind === 'pipe' ? `(${printNode(node)})` : printNode(node);
}

/** Whether a template says nothing: only white space and comments. Such a one replaces no other. */
export function isEmptyTree(node: Node): boolean {
  switch (node.kind) {
    case 'comment':
      return true;
    case 'list':
      return node.nodes.every(isEmptyTree);
    case 'text':
      return /^[\s\u0085]*$/.test(node.text) && !node.text.includes('\ufeff');
    default:
      return false;
  }
}
