-- Evidence: see the branch that brings it.
select 1;
