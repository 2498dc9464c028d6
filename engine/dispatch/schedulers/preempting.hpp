// Preemption around any scheduler: after its pass, room is made for jobs that take it from running ones.
//
// Of each priority, the highest first, the first waiting job in queue order is looked at. It starts where it has room,
// or where there is room without some running jobs of lower priority, which then end: those of the lowest priority
// first, of these those that started last. Jobs that turn out not to be needed are left alone, and where all of them do
// not do, so are all. Then the scheduler is called again, and so forth until no job starts that way.
//
// With a grace time, the jobs that are to end are announced, and end when it is over. Until then none are chosen for
// any job of that priority; the announced job starts where it has room without them, and they run on. When the time is
// over, jobs are chosen again: first of those announced, then of those of lower priority that started since and are in
// the way. So nothing ends in vain. Where these do not do, the announcement is forgotten.
#pragma once

#include <memory>

#include "base/cloned.hpp"
#include "dispatch/preemption.hpp"
#include "dispatch/schedulers/scheduler.hpp"

namespace schedlab {

std::unique_ptr<Scheduler> make_preempting(PreemptionRules rules, Cloned<Scheduler> within);

}  // namespace schedlab
