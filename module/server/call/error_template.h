/* Errors that the server only has to copy.
 *
 * RedisModule_ReplyWithError formats the text and looks at each of its characters, which took a third of a refused
 * call's instructions. RedisModule_ReplyWithCallReply copies the bytes of a reply as they are, and counts the error
 * that was noted when the reply came to be, by its first word. So each class and length of text that is answered
 * often has a template: the reply to a call of one of our own commands, which was refused with such an error. Most
 * texts tell of an ETag or a time, so each is written over the bytes of the template. No other reply shares these.
 *
 *   error ─▶ is there a template? ─yes─▶ write the text over its bytes ─▶ the server copies and counts it
 *                                 ─no──▶ RedisModule_ReplyWithError; if that happens often, an alarm makes one
 *
 * - Clients, scripts and other modules get the same bytes in both ways, and INFO counts the same.
 * - Templates are made while no command runs, so that no transaction, script or reply to a waiting client has another
 *   call in its middle. For each template, once, INFO counts a refused HOLDFAST.HELP, and MONITOR shows it.
 * - Templates are never freed: a module with data types stays loaded.
 * - If a file or a primary sends a call that is refused, the server logs the error that was noted: of a template only
 *   the class is right, dots follow. Effects are refused with errors of classes that have no templates.
 * - If the server does not answer as expected, for example because another module filters commands, there are no
 *   templates.
 * - Only the main thread replies. */
#ifndef HOLDFAST_ERROR_TEMPLATE_H
#define HOLDFAST_ERROR_TEMPLATE_H

#include "server/base/api.h"

/* Once, at load. */
void error_templates_start(void);

/* Answers an error with its whole text: class, code and reason. */
void error_template_reply(RedisModuleCtx *ctx, const char *error);

#endif
