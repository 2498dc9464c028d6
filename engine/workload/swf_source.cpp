#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/errors.hpp"
#include "workload/swf.hpp"

namespace schedlab {

namespace {

constexpr std::array<std::string_view, skip_reasons> reason_names = {
    "not 18 numbers", "no submit time",    "no processors",      "no run time",
    "run time 0",     "no requested time", "value out of range", "duplicate job number"};

constexpr std::int64_t most_tasks = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t most_memory = std::int64_t{1} << 50U;  // KB per processor: an exabyte

bool given(const SwfNumber& number) { return number.whole >= 0 && number.nanos >= 0; }
bool positive(const SwfNumber& number) { return given(number) && (number.whole > 0 || number.nanos > 0); }
bool representable(const SwfNumber& number) {
  return number.whole <= longest_input_seconds && number.whole >= -longest_input_seconds;
}
Time to_time(const SwfNumber& number) { return number.whole * second + number.nanos; }

}  // namespace

std::string_view name_of(SkipReason reason) { return reason_names[static_cast<std::size_t>(reason)]; }

SwfSource::SwfSource(Cloned<ByteSource> bytes, SwfOptions options)
    : scanner_(std::move(bytes), options.name), options_(std::move(options)) {
  scanner_.read_header();
  find_extra_fields();
  using Dependencies = SwfOptions::Dependencies;
  dependencies_ = options_.dependencies == Dependencies::honour ||
                  (options_.dependencies == Dependencies::if_listed && extra_.predecessors != ExtraFields::none);
}

void SwfSource::find_extra_fields() {
  constexpr std::string_view per_task = "task_";
  const std::vector<std::string>& names = scanner_.extra_fields();
  extended_ = !names.empty();
  for (std::size_t field = 0; field < names.size(); ++field) {
    const std::string& name = names[field];
    if (std::count(names.begin(), names.end(), name) > 1) {
      throw InputError(options_.name + ": ExtraFields names \"" + name + "\" twice");
    }
    if (name == "tasks") {
      extra_.tasks = field;
    } else if (name == "tasks_per_node") {
      extra_.tasks_per_node = field;
    } else if (name == "whole_nodes") {
      extra_.whole_nodes = field;
    } else if (name == "predecessors") {
      extra_.predecessors = field;
    } else if (name.starts_with(per_task)) {
      const auto type = std::find(options_.types.begin(), options_.types.end(), name.substr(per_task.size()));
      const bool known = type != options_.types.end();
      extra_.amounts.push_back(
          {field, known ? static_cast<std::size_t>(type - options_.types.begin()) : ExtraFields::none});
    } else {
      extra_.attributes.push_back(field);
      options_.attribute_names.push_back(name);
    }
  }
}

bool SwfSource::next(JobSpec& job) {
  if (!options_.sort) return next_in_file(job);
  if (!loaded_) load_sorted();
  if (next_sorted_ == sorted_.size()) return false;
  job = std::move(sorted_[next_sorted_++]);
  return true;
}

SourceReport SwfSource::report() const {
  SourceReport report{rows_, scanner_.bytes_read(), scanner_.checksum(), {}, scanner_.comments(), found_};
  for (std::size_t i = 0; i < skip_reasons; ++i) {
    if (skipped_[i].rows > 0)
      report.skipped.push_back({std::string(reason_names[i]), skipped_[i].rows, skipped_[i].first_line});
  }
  return report;
}

void SwfSource::archive(Archive& archive) {
  std::vector<std::string> names = options_.attribute_names;
  bool loaded = loaded_;
  archive(names, loaded);
  if (names != options_.attribute_names) throw InputError("the saved state has other attributes of jobs");
  if (loaded && !loaded_) load_sorted();  // all of it, as before
  try {
    archive(scanner_);
  } catch (const InputError& error) {
    throw InputError(options_.name + ": " + error.what());
  }
  archive(skipped_, rows_, last_submit_, seen_, next_sorted_, found_);
  Archive::require(next_sorted_ <= sorted_.size(), "more jobs were read than there are");
}

void SwfSource::load_sorted() {
  loaded_ = true;
  for (JobSpec job; next_in_file(job);) sorted_.push_back(job);
  std::stable_sort(sorted_.begin(), sorted_.end(),
                   [](const JobSpec& a, const JobSpec& b) { return a.submit < b.submit; });
}

bool SwfSource::next_in_file(JobSpec& job) {
  while (true) {
    const SwfScanner::Line line = scanner_.next();
    if (line == SwfScanner::Line::end) return false;
    ++rows_;
    if (line == SwfScanner::Line::malformed) {
      skip(SkipReason::malformed);
    } else if (to_job(job)) {
      if (job.submit < last_submit_ && !options_.sort) {
        throw InputError(options_.name + ":" + std::to_string(scanner_.line_number()) + ": job " +
                         std::to_string(job.id) + " is submitted at " + std::to_string(job.submit / second) +
                         " s, before the row above it (" + std::to_string(last_submit_ / second) +
                         " s); sort the file, or ask for it to be sorted (--sort, sort=True)");
      }
      last_submit_ = job.submit;
      return true;
    }
  }
}

bool SwfSource::skip(SkipReason reason) {
  if (options_.strict) {
    throw InputError(options_.name + ":" + std::to_string(scanner_.line_number()) + ": " +
                     std::string(name_of(reason)) +
                     "; without --strict (strict=False) such rows are skipped and counted");
  }
  Skipped& skipped = skipped_[static_cast<std::size_t>(reason)];
  if (skipped.rows++ == 0) skipped.first_line = scanner_.line_number();
  return false;
}

/// Applies the options to the scanner's row; false where the row cannot be used.
bool SwfSource::to_job(JobSpec& job) {
  SwfNumber id;
  SwfNumber submit;
  SwfNumber run;
  SwfNumber allocated;
  SwfNumber requested_processors;
  SwfNumber requested;
  SwfNumber user;
  const bool numbers = scanner_.read(SwfField::job, id) && scanner_.read(SwfField::submit, submit) &&
                       scanner_.read(SwfField::run, run) && scanner_.read(SwfField::allocated_processors, allocated) &&
                       scanner_.read(SwfField::requested_processors, requested_processors) &&
                       scanner_.read(SwfField::requested_time, requested) && scanner_.read(SwfField::user, user);
  if (!numbers) return skip(SkipReason::malformed);
  if (!representable(submit) || !representable(run) || !representable(requested)) return skip(SkipReason::out_of_range);

  job.id = id.whole;
  job.user = user.whole;
  job.submit = to_time(submit);
  job.run = to_time(run);
  job.limit = positive(requested) ? to_time(requested) : never;
  std::int64_t tasks = options_.allocated_processors ? allocated.whole : requested_processors.whole;
  bool other_processors = tasks <= 0;
  if (other_processors) tasks = options_.allocated_processors ? requested_processors.whole : allocated.whole;
  if (tasks <= 0 && extra_.tasks != ExtraFields::none) {  // a row may have tasks alone
    SwfNumber given_tasks;
    if (!scanner_.read_extra(extra_.tasks, given_tasks)) return skip(SkipReason::malformed);
    tasks = given_tasks.whole;
  }

  if (options_.substitute_unusable && (!positive(run) || allocated.whole <= 0 || !given(submit))) {
    tasks = std::max<std::int64_t>(1, allocated.whole);
    other_processors = false;
    job.run = second;
    job.limit = second;
    job.submit = std::max(second, job.submit);
  } else if (!given(submit)) {
    return skip(SkipReason::no_submit_time);
  } else if (tasks <= 0) {
    return skip(SkipReason::no_processors);
  } else if (!given(run)) {
    return skip(SkipReason::no_run_time);
  } else if (job.run == 0 && options_.skip_zero_run) {
    return skip(SkipReason::zero_run_time);
  }
  if (tasks > most_tasks) return skip(SkipReason::out_of_range);
  job.tasks = static_cast<std::uint32_t>(tasks);
  job.tasks_per_node = options_.tasks_per_node;
  job.whole_nodes = options_.whole_nodes;
  if (extended_ && !add_request(job)) return false;

  job.estimate = job.limit;
  if (job.limit == never) {
    if (options_.missing_estimate == SwfOptions::Estimate::skip) return skip(SkipReason::no_requested_time);
    job.estimate = options_.missing_estimate == SwfOptions::Estimate::fixed ? options_.fixed_estimate : job.run;
  }
  if (options_.estimate_covers_run) job.estimate = std::max(job.estimate, job.run);

  if (options_.memory != SwfOptions::Memory::none && !add_memory(job, requested_processors.whole, allocated.whole))
    return false;
  if (dependencies_ && !add_predecessor(job)) return false;
  if (!options_.attribute_names.empty() && !add_attributes(job)) return false;
  if (!seen_.insert(job.id)) return skip(SkipReason::duplicate_job);
  ++found_.jobs;
  found_.other_processors += other_processors ? 1 : 0;
  found_.no_user += user.whole < 0 ? 1 : 0;
  return true;
}

/// Reads the shape of a job and what its tasks take from the fields after the 18.
[[gnu::noinline]] bool SwfSource::add_request(JobSpec& job) {
  const auto whole = [&](std::size_t field, std::uint32_t& into) {
    if (field == ExtraFields::none) return true;
    SwfNumber number;
    if (!scanner_.read_extra(field, number)) return skip(SkipReason::malformed);
    if (number.whole > most_tasks) return skip(SkipReason::out_of_range);
    if (number.whole > 0) into = static_cast<std::uint32_t>(number.whole);
    return true;
  };
  std::uint32_t tasks = 0;
  std::uint32_t tasks_per_node = 0;
  std::uint32_t whole_nodes = 0;
  if (!whole(extra_.tasks, tasks) || !whole(extra_.tasks_per_node, tasks_per_node) ||
      !whole(extra_.whole_nodes, whole_nodes)) {
    return false;
  }
  if (tasks > 0) {
    job.tasks = tasks;
    ++found_.own_tasks;
  }
  if (tasks_per_node > 0) {  // the limit of the row and that of the option both hold
    job.tasks_per_node = job.tasks_per_node > 0 ? std::min(job.tasks_per_node, tasks_per_node) : tasks_per_node;
  }
  job.whole_nodes = job.whole_nodes || whole_nodes > 0;
  job.amounts.clear();
  for (const auto& [field, type] : extra_.amounts) {
    SwfNumber number;
    if (!scanner_.read_extra(field, number)) return skip(SkipReason::malformed);
    if (number.whole > most_memory) return skip(SkipReason::out_of_range);
    if (!positive(number)) continue;
    if (number.nanos != 0) {  // a part of a unit would be lost without a word
      throw InputError(options_.name + ":" + std::to_string(scanner_.line_number()) + ": job " +
                       std::to_string(job.id) + " asks for a fraction of \"" +
                       scanner_.extra_fields()[field].substr(5) +
                       "\" for a task; amounts are whole: count this resource in smaller units, "
                       "here and in the system");
    }
    if (type == ExtraFields::none) {
      throw InputError(options_.name + ":" + std::to_string(scanner_.line_number()) + ": job " +
                       std::to_string(job.id) + " asks for \"" + scanner_.extra_fields()[field].substr(5) +
                       "\", a resource type that the system does not have; add it to its groups");
    }
    if (job.amounts.empty()) job.amounts.resize(options_.types.size());
    job.amounts[type] = number.whole;
  }
  return true;
}

/// Adds the memory of each task: that of its processors. Rows that say it themselves, by task_mem, are left alone.
[[gnu::noinline]] bool SwfSource::add_memory(JobSpec& job, std::int64_t requested_processors,
                                             std::int64_t allocated_processors) {
  if (!extended_) job.amounts.clear();
  SwfNumber requested_memory;
  SwfNumber used;
  if (!scanner_.read(SwfField::requested_memory, requested_memory) || !scanner_.read(SwfField::used_memory, used)) {
    return skip(SkipReason::malformed);
  }
  const bool requested_first = options_.memory == SwfOptions::Memory::requested;
  SwfNumber memory = requested_first ? requested_memory : used;
  const bool stands_in = memory.whole <= 0;
  if (stands_in) memory = requested_first ? used : requested_memory;
  if (memory.whole > most_memory) return skip(SkipReason::out_of_range);
  if (!job.amounts.empty() && job.amounts[options_.memory_type] > 0) {
    ++found_.own_memory;
    return true;
  }
  if (memory.whole <= 0) {
    ++found_.no_memory;
    return true;
  }
  if (stands_in) ++found_.other_memory;
  if (job.amounts.empty()) {
    job.amounts = options_.processor;
    job.amounts[options_.memory_type] += memory.whole;
    return true;
  }
  const double processors = processors_of_task(job, requested_processors, allocated_processors);
  const double of_task = nearest_decimal(memory.whole, memory.nanos) * processors;
  if (of_task > static_cast<double>(most_memory)) return skip(SkipReason::out_of_range);
  // Memory of a processor may be a share of what a node has, cut to nine decimals: that must not become a KB more.
  job.amounts[options_.memory_type] = std::max<Amount>(1, static_cast<Amount>(std::ceil(of_task - 1e-3)));
  return true;
}

/// Processors of the row for each of its tasks. Where they were divided among tasks, a task has that many cores,
/// rounded up; its memory is still that of the exact share. Else what a task takes of cores counts.
double SwfSource::processors_of_task(const JobSpec& job, std::int64_t requested, std::int64_t allocated) const {
  const auto core = std::find(options_.types.begin(), options_.types.end(), "core");
  const Amount cores =
      core == options_.types.end() ? 0 : job.amounts[static_cast<std::size_t>(core - options_.types.begin())];
  const double tasks = job.tasks;
  const auto share = [&](std::int64_t processors) { return static_cast<double>(processors) / tasks; };
  const auto divided = [&](std::int64_t processors) {
    return processors > 0 && static_cast<double>(cores) == std::ceil(share(processors));
  };
  const std::int64_t first = options_.allocated_processors ? allocated : requested;
  const std::int64_t second_choice = options_.allocated_processors ? requested : allocated;
  if (divided(first)) return share(first);
  if (divided(second_choice)) return share(second_choice);
  if (cores > 0) return static_cast<double>(cores);
  return share(std::max<std::int64_t>(first > 0 ? first : second_choice, 1));
}

bool SwfSource::add_attributes(JobSpec& job) {
  job.attributes.clear();
  for (const SwfField field : options_.attributes) {
    SwfNumber number;
    if (!scanner_.read(field, number)) return skip(SkipReason::malformed);
    job.attributes.push_back(nearest_decimal(number.whole, number.nanos));
  }
  for (const std::size_t field : extra_.attributes) {
    SwfNumber number;
    if (!scanner_.read_extra(field, number)) return skip(SkipReason::malformed);
    job.attributes.push_back(nearest_decimal(number.whole, number.nanos));
  }
  return true;
}

bool SwfSource::add_predecessor(JobSpec& job) {
  SwfNumber preceding;
  SwfNumber think;
  if (!scanner_.read(SwfField::preceding_job, preceding) || !scanner_.read(SwfField::think_time, think)) {
    return skip(SkipReason::malformed);
  }
  if (!representable(think)) return skip(SkipReason::out_of_range);
  job.predecessors.clear();
  job.think = 0;
  if (extra_.predecessors != ExtraFields::none && !scanner_.read_extra(extra_.predecessors, job.predecessors)) {
    return skip(SkipReason::malformed);
  }
  if (job.predecessors.empty() && preceding.whole > 0) job.predecessors.push_back(preceding.whole);
  found_.with_predecessors += job.predecessors.empty() ? 0 : 1;
  if (!job.predecessors.empty() && given(think)) job.think = to_time(think);
  return true;
}

}  // namespace schedlab
